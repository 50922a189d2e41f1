#include "runtime/shared_memory.hpp"

#include <cstring>

#include "runtime/access.hpp"
#include "runtime/block.hpp"

extern "C" alignas(128) unsigned char simt_dynamic_shared[simt::most_dynamic_shared + 4096];
alignas(128) unsigned char simt_dynamic_shared[simt::most_dynamic_shared + 4096];

namespace simt {
namespace {

/// Bytes and the notes on them.
struct Part {
  unsigned char* bytes;
  Cell* cells;
  std::size_t size;
};

/// The static part that the block has kept, or is to keep, and the dynamic one. A program has many kernels,
/// so most of its static shared memory is none of this one's.
std::array<Part, 2> parts(const Block& block) {
  const Machine& all = machine();
  const std::size_t from = block.static_from;
  return {Part{reinterpret_cast<unsigned char*>(all.static_shared.begin + from),
               static_notes.cells + from / 4, block.static_to - from},
          Part{simt_dynamic_shared, dynamic_notes.cells, (all.dynamic_bytes + 3) & ~std::size_t{3}}};
}

/// To where a block's memory is kept, or from there.
template <class Copy>
void for_each_part(Block& block, Copy copy) {
  std::size_t total = 0;
  for (const Part& part : parts(block)) total += part.size * (1 + sizeof(Cell) / 4);
  block.shared.resize(total);
  std::byte* at = block.shared.data();
  for (const Part& part : parts(block)) {
    if (part.size == 0) continue;
    copy(part.bytes, at, part.size);
    at += part.size;
    copy(part.cells, at, part.size * (sizeof(Cell) / 4));
    at += part.size * (sizeof(Cell) / 4);
  }
}

}  // namespace

void prepare_shared(Machine& all) {
  static std::vector<Cell> of_image, of_dynamic((most_dynamic_shared + 4096) / 4 + 4);
  const std::size_t words = (all.static_shared.end - all.static_shared.begin) / 4 + 4;
  if (of_image.size() < words || all.first_sequence == 1) of_image.assign(words, {});
  if (all.first_sequence == 1) of_dynamic.assign(of_dynamic.size(), {});
  static_notes = {of_image.data(), all.static_shared.begin};
  dynamic_notes = {of_dynamic.data(), reinterpret_cast<std::uintptr_t>(simt_dynamic_shared)};
  all.loaded = nullptr;
  all.static_from = all.static_shared.end - all.static_shared.begin;
  all.static_to = 0;
}

void load_shared(Block& block) {
  Machine& all = machine();
  if (all.loaded == &block) return;
  if (Block* const last = all.loaded; last != nullptr) {
    last->static_from = std::min(all.static_from, all.static_to);
    last->static_to = all.static_to;
    for_each_part(*last,
                  [](void* here, std::byte* kept, std::size_t bytes) { std::memcpy(kept, here, bytes); });
  }
  if (!block.shared.empty())
    for_each_part(block,
                  [](void* here, std::byte* kept, std::size_t bytes) { std::memcpy(here, kept, bytes); });
  all.loaded = &block;
}

}  // namespace simt
