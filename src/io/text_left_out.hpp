// Columns of a text that are given up because a field of theirs is no number.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace foldline::io {

/// The first field of a column in a block that is no number.
struct TextOffence {
  std::size_t column;
  std::int64_t line;  ///< of the block, from 0
  std::string what;
};

/// Which block gave a column up. Threads share it. Blocks before that one look at the column all the same: so
/// it is the first field of the text that counts, whatever the threads did first.
class GivenUp {
 public:
  explicit GivenUp(std::size_t columns) : first_(columns) {
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
