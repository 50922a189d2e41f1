// Blocks of an array in a file: rows, or some columns of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <foldline/array_reader.hpp>

#include "mapped_file.hpp"

namespace foldline::cli {

/// Position of a block in the array: rows, or parts of rows.
struct BlockPlace {
  std::int64_t first;  ///< number of its first element
  std::int64_t rows, columns;
  std::int64_t pitch;  ///< number of its first elements from row to row
};

/// A block in memory.
struct BlockInMemory {
  const std::byte* data;
  std::int64_t pitch;
};

class ArrayBlocks {
 public:
  /// The shape must be known. The reader must outlive it.
  explicit ArrayBlocks(ArrayReader& array);

  /// Whether blocks may be asked for in any order, by any number of threads at once: those of a regular file.
  /// Otherwise one follows the other without a gap.
  bool in_any_order() const { return map_.has_value(); }

  /// The block's elements, where the file is mapped or in `buffer`, which belongs to a thread and is used
  /// again. Throws DataError.
  BlockInMemory get(const BlockPlace& place, std::vector<std::byte>& buffer);
  /// Call it when the block has been used. Throws DataError if the file changed meanwhile, so that the block
  /// was not what the file had.
  void give_back(const BlockPlace& place) const;

 private:
  ArrayReader& array_;
  std::int64_t element_;
  bool swap_bytes_ = false;
  std::optional<MappedFile> map_;
};

}  // namespace foldline::cli
