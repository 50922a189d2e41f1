// Blocks of an array in a file: rows, or some columns of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <foldline/array_reader.hpp>

#include "mapped_file.hpp"

namespace foldline::cli {

/// Where the elements of a block are among those of the array.
struct BlockPlace {
  std::int64_t first;  ///< element
  std::int64_t rows, columns;
  std::int64_t pitch;  ///< elements from row to row
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
  /// When they have been used. Throws DataError if they were not those of the file.
  void give_back(const BlockPlace& place) const;

 private:
  ArrayReader& array_;
  std::int64_t element_;
  bool swap_bytes_ = false;
  std::optional<MappedFile> map_;
};

}  // namespace foldline::cli
