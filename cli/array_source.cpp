#include "array_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace foldline::cli {
namespace {

// A block is small enough to stay in the outer caches between reading and adding, and large enough that a
// thread seldom waits for its turn to read. All blocks together stay below the last figure, whatever
// --threads says.
constexpr std::int64_t largest_block_bytes = std::int64_t{4} << 20;
constexpr std::int64_t all_blocks_bytes = std::int64_t{64} << 20;

std::string shape_text(const ArrayReader& array) {
  return fmt::format("({}{})", fmt::join(*array.shape(), ", "), array.shape()->size() == 1 ? "," : "");
}

void check_pair(const ArrayReader& x, const ArrayReader& y) {
  const std::string pair = fmt::format("{} and {}", x.name(), y.name());
  if (!x.shape() || !y.shape()) return;  // raw numbers from a pipe: read() finds out
  if (*x.shape() != *y.shape())
    throw DataError(fmt::format("{}: shapes differ, {} and {}; give arrays of the same shape", pair,
                                shape_text(x), shape_text(y)));
  // With one axis longer than 1, both orders are the same.
  if (x.fortran_order() != y.fortran_order() &&
      std::ranges::count_if(*x.shape(), [](std::int64_t length) { return length > 1; }) > 1)
    throw DataError(fmt::format(
        "{}: one is in C order, the other in Fortran order, so their elements do not meet in pairs; "
        "save both in the same order (numpy.ascontiguousarray)",
        pair));
}

}  // namespace

ArraySource::ArraySource(std::vector<ArrayReader> arrays) : arrays_(std::move(arrays)) {
  if (arrays_.size() == 2) check_pair(arrays_[0], arrays_[1]);
  divide_among(1);
}

std::vector<ElementType> ArraySource::types() const {
  std::vector<ElementType> types;
  types.reserve(arrays_.size());
  for (const ArrayReader& array : arrays_) types.push_back(array.type());
  return types;
}

void ArraySource::divide_among(int threads) {
  std::int64_t element = 0;  // the larger one
  for (const ArrayReader& array : arrays_) element = std::max(element, size_of(array.type()));
  const std::int64_t most = std::min(largest_block_bytes, all_blocks_bytes / threads) / element;
  // Whole tiles of the library, so that an inexact sum too is the same for every number of threads.
  constexpr std::int64_t tile = 2048;
  const std::int64_t share = size() ? *size() / threads + 1 : most;
  block_size_ = std::max(std::min(share, most) / tile * tile, tile);
}

std::optional<FilePart> ArraySource::unread() const {
  if (!std::ranges::all_of(arrays_, [](const ArrayReader& array) { return array.place().has_value(); }))
    return std::nullopt;
  return FilePart{arrays_[0].position(), *size()};
}

void ArraySource::read_only(FilePart part, bool /*is_row*/) {
  for (ArrayReader& array : arrays_) array.read_only(part.begin, part.end);
}

std::optional<std::int64_t> ArraySource::bytes_in_all() const {
  if (!size()) return std::nullopt;
  return *size() * bytes_of_all();
}

/// Bytes of one element of each array together.
std::int64_t ArraySource::bytes_of_all() const {
  std::int64_t bytes = 0;
  for (const ArrayReader& array : arrays_) bytes += size_of(array.type());
  return bytes;
}

std::vector<std::string> ArraySource::files() const {
  std::vector<std::string> names;
  names.reserve(arrays_.size());
  for (const ArrayReader& array : arrays_) names.push_back(array.name());
  return names;
}

bool ArraySource::next(Block& block) {
  const std::lock_guard lock(reading_);
  if (finished_) return false;
  finished_ = true;  // also if read() throws
  const std::int64_t size = read(block);
  if (size == 0) return false;
  finished_ = false;
  block.number = next_number_++;
  block.vectors.clear();
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    block.vectors.emplace_back(block.bytes[i].data(), arrays_[i].type(), size);
  bytes_read_ += size * bytes_of_all();
  return true;
}

std::int64_t ArraySource::read(Block& block) {
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    block.bytes[i].resize(static_cast<std::size_t>(block_size_ * size_of(arrays_[i].type())));
  const std::int64_t size = arrays_[0].read(block.bytes[0]);
  if (arrays_.size() == 1) return size;
  const std::int64_t other = arrays_[1].read(block.bytes[1]);
  if (other != size) {
    const ArrayReader& shorter = arrays_[other < size ? 1 : 0];
    throw DataError(
        fmt::format("{}: ends after {} elements, the other array goes on; give arrays of the same size",
                    shorter.name(), shorter.position()));
  }
  return size;
}

}  // namespace foldline::cli
