#include "array_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>

#include <foldline/error.hpp>

namespace foldline::cli {

ArrayBlocks::ArrayBlocks(ArrayReader& array) : array_(array), element_(size_of(array.type())) {
  const std::optional<FilePlace> place = array.place();
  if (!place) return;
  swap_bytes_ = place->byte_order != native_byte_order && element_ > 1;
  map_.emplace(place->descriptor, place->offset, *array.size() * element_);
  if (!map_->exists()) map_.reset();
}

BlockInMemory ArrayBlocks::get(const BlockPlace& place, std::vector<std::byte>& buffer) {
  const std::int64_t row_bytes = place.columns * element_;
  const auto at = [&](std::int64_t row) { return map_->at((place.first + row * place.pitch) * element_); };
  if (map_ && !swap_bytes_) return {at(0), place.pitch};
  try {
    buffer.resize(static_cast<std::size_t>(place.rows * row_bytes));
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: {} bytes of it are needed at once and memory is full; cut it into pieces",
                            array_.name(), place.rows * row_bytes));
  }
  if (map_) {
    std::byte* to = buffer.data();
    for (std::int64_t row = 0; row < place.rows; ++row)
      for (const std::byte* from = at(row); from < at(row) + row_bytes; from += element_, to += element_)
        std::reverse_copy(from, from + element_, to);
  } else {
    for (std::span<std::byte> rest = buffer; !rest.empty();)
      rest = rest.subspan(static_cast<std::size_t>(array_.read(rest) * element_));
  }
  return {buffer.data(), place.columns};
}

void ArrayBlocks::give_back(const BlockPlace& place) const {
  if (!map_) return;
  const bool is_dense = place.columns == place.pitch;
  const std::int64_t runs = is_dense ? 1 : place.rows;
  const std::int64_t run = (is_dense ? place.rows : 1) * place.columns;
  for (std::int64_t i = 0; i < runs; ++i)
    map_->give_back((place.first + i * place.pitch) * element_, run * element_);
  if (map_->is_damaged())
    throw DataError(array_.name() +
                    ": was truncated while it was read, or the disk failed; run again when it is complete");
}

}  // namespace foldline::cli
