#include "runtime/image.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "model/control_flow.hpp"
#include "runtime/fiber.hpp"

namespace simt {
namespace {

/// As simt-cc writes it: an address, a size, a name.
struct TableEntry {
  const void* address;
  std::uint64_t bytes;
  const char* name;
};

/// In a block's word of the table of weights: its last instruction is no branch on a GPU.
constexpr std::uint32_t not_a_branch = 1u << 31;

std::unordered_map<const void*, const char*>& dynamic_names() {
  static std::unordered_map<const void*, const char*> names;
  return names;
}

std::unordered_map<const void*, const char*>& parameter_names() {
  static std::unordered_map<const void*, const char*> names;
  return names;
}

/// Constructors of all files of an image call with the same tables, the guards' first.
Image* image_being_registered = nullptr;

Range range(const void* begin, const void* end) {
  return {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(end)};
}

void note_arrays(Image& image, const TableEntry* begin, const TableEntry* end) {
  for (; begin != end; ++begin)
    image.arrays.push_back({reinterpret_cast<std::uintptr_t>(begin->address),
                            static_cast<std::size_t>(begin->bytes), begin->name});
  const auto before = [](const SharedArray& a, const SharedArray& b) { return a.begin < b.begin; };
  std::sort(image.arrays.begin(), image.arrays.end(), before);
  image.array_of_word.assign((image.shared.end - image.shared.begin + 3) / 4, 0);
  for (std::size_t i = 0; i < image.arrays.size(); ++i) {
    const SharedArray& array = image.arrays[i];
    for (std::uintptr_t at = array.begin; at < array.begin + array.bytes; at += 4)
      image.array_of_word[(at - image.shared.begin) / 4] = static_cast<std::uint16_t>(i + 1);
  }
}

/// Finds where threads meet, function by function, from clang's table of the control flow.
class ControlFlow {
 public:
  ControlFlow(const Image& image, const std::uintptr_t* table, const std::uintptr_t* end)
      : first_(image.first_block) {
    std::vector<BasicBlock>& blocks = images().blocks;
    for (std::uint32_t id = first_; id < blocks.size(); ++id) number_[blocks[id].address] = id;
    successors_.resize(blocks.size() - first_);
    while (table < end) read_block(table);
    for (std::uint32_t begin = first_; begin < blocks.size();) {
      std::uint32_t stop = begin + 1;
      while (stop < blocks.size() && !blocks[stop].is_entry) ++stop;
      solve_function(begin, stop);
      begin = stop;
    }
  }

 private:
  /// The block, its successors, 0, what it calls, 0.
  void read_block(const std::uintptr_t*& table) {
    const auto block = number_.find(*table++);
    for (; *table != 0; ++table) {
      const auto next = number_.find(*table);
      if (block != number_.end() && next != number_.end())
        successors_[block->second - first_].push_back(next->second);
    }
    ++table;
    while (*table != 0) ++table;
    ++table;
  }

  void solve_function(std::uint32_t begin, std::uint32_t end) {
    std::vector<std::vector<std::uint32_t>> graph(end - begin);
    for (std::uint32_t id = begin; id < end; ++id)
      for (const std::uint32_t next : successors_[id - first_])
        if (next >= begin && next < end) graph[id - begin].push_back(next - begin);
    const std::vector<std::uint32_t> meets = model::post_dominators(graph);
    for (std::uint32_t id = begin; id < end; ++id) {
      const std::uint32_t place = meets[id - begin];
      BasicBlock& block = images().blocks[id];
      block.meets = place == end - begin ? begin | exit_bit : begin + place;
      block.is_branch = block.is_branch && graph[id - begin].size() > 1;
    }
  }

  std::uint32_t first_;
  std::unordered_map<std::uintptr_t, std::uint32_t> number_;
  std::vector<std::vector<std::uint32_t>> successors_;
};

}  // namespace

Images& images() {
  static Images all;
  return all;
}

const Image* image_with_shared(std::uintptr_t address) {
  for (const Image& image : images().images)
    if (image.shared.holds(address)) return &image;
  return nullptr;
}

std::string source_name(const char* symbol) {
  std::string name = symbol;
  if (!name.starts_with("_Z")) return name;  // `s` is a type, too: short
  Fiber::on_large_stack([&] {
    int status = 0;
    char* const text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    if (status == 0) name = text;
    std::free(text);
  });
  const std::size_t last = name.rfind("::");
  return last == name.npos ? name : name.substr(last + 2);
}

std::string dynamic_array_name(const void* kernel) {
  const auto found = dynamic_names().find(kernel);
  return found == dynamic_names().end() ? "shared memory" : source_name(found->second);
}

std::vector<std::string> names_of_parameters(const void* kernel) {
  std::vector<std::string> names;
  const auto found = parameter_names().find(kernel);
  if (found == parameter_names().end()) return names;
  std::string_view rest = found->second;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(comma + 1);
  }
  return names;
}

}  // namespace simt

extern "C" {

void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* begin, std::uint32_t* end) {
  simt::Images& all = simt::images();
  simt::image_being_registered = nullptr;
  if (begin == end || *begin != 0) return;
  simt::Image image;
  image.guards = simt::range(begin, end);
  image.first_block = static_cast<std::uint32_t>(all.blocks.size());
  for (; begin != end; ++begin) {
    *begin = static_cast<std::uint32_t>(all.blocks.size());
    all.blocks.emplace_back();
  }
  all.images.push_back(std::move(image));
  simt::image_being_registered = &all.images.back();
}

/// Pairs: a block's address, and 1 if it is a function's first.
void __sanitizer_cov_pcs_init(const std::uintptr_t* begin, const std::uintptr_t* end) {
  if (simt::image_being_registered == nullptr) return;
  for (std::uint32_t id = simt::image_being_registered->first_block; begin != end; begin += 2, ++id) {
    simt::images().blocks[id].address = begin[0];
    simt::images().blocks[id].is_entry = (begin[1] & 1) != 0;
  }
}

void simt_register_tables(const std::uint32_t* weights, const std::uint32_t* weights_end,
                          const simt::TableEntry* arrays, const simt::TableEntry* arrays_end,
                          const simt::TableEntry* dynamic, const simt::TableEntry* dynamic_end,
                          const void* shared, const void* shared_end, const void* constant,
                          const void* constant_end, const void* device, const void* device_end,
                          const simt::TableEntry* parameters, const simt::TableEntry* parameters_end) {
  simt::Image* const image = simt::image_being_registered;
  if (image == nullptr) return;
  for (std::uint32_t id = image->first_block; weights != weights_end; ++weights, ++id) {
    simt::images().blocks[id].weight = *weights & ~simt::not_a_branch;
    simt::images().blocks[id].is_branch = (*weights & simt::not_a_branch) == 0;
  }
  image->shared = simt::range(shared, shared_end);
  image->constant = simt::range(constant, constant_end);
  image->device = simt::range(device, device_end);
  simt::note_arrays(*image, arrays, arrays_end);
  for (; parameters != parameters_end; ++parameters)
    simt::parameter_names()[parameters->address] = parameters->name;
  for (; dynamic != dynamic_end; ++dynamic) simt::dynamic_names()[dynamic->address] = dynamic->name;
}

void __sanitizer_cov_cfs_init(const std::uintptr_t* begin, const std::uintptr_t* end) {
  if (simt::image_being_registered != nullptr) simt::ControlFlow(*simt::image_being_registered, begin, end);
  simt::image_being_registered = nullptr;
}

}  // extern "C"
