// Columns of a text that are left out because one of their fields is not a number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace foldline::io {

/// The first field of a column in a block that is not a number.
struct NonNumericField {
  std::size_t column;
  std::int64_t line;  ///< of the block, from 0
  std::string what;
};

/// The first block in which each column had a field that is not a number; shared by threads. Earlier blocks
/// still parse the column, so the first such field of the text is reported, whatever the threads do.
class ColumnsLeftOut {
 public:
  explicit ColumnsLeftOut(std::size_t columns) : first_(columns) {
    for (std::atomic<std::int64_t>& block : first_) block = std::numeric_limits<std::int64_t>::max();
  }

  bool before(std::int64_t block, std::size_t column) const {
    return first_[column].load(std::memory_order_relaxed) < block;
  }
  void add(std::int64_t block, std::size_t column) {
    std::int64_t known = first_[column].load(std::memory_order_relaxed);
    while (block < known && !first_[column].compare_exchange_weak(known, block, std::memory_order_relaxed)) {
    }
  }

 private:
  std::vector<std::atomic<std::int64_t>> first_;
};

}  // namespace foldline::io
