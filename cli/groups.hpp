// The sums of columns, and of groups of rows.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "source.hpp"

namespace foldline::cli {

/// A sum for each column of each group; without groups all rows are in group 0. All threads add to the same
/// table: one table each would take as many times the memory. It is locked in parts.
class SumTable {
 public:
  /// Throws DataError from add() where the table takes more than `most_bytes` of memory.
  SumTable(Operation operation, const Context& context, std::size_t columns, std::int64_t most_bytes);

  /// Buffers of one thread, to sort a block by group.
  struct Scratch {
    std::vector<std::uint32_t> counts, order, indices;
    std::array<std::vector<std::byte>, 2> sorted;
  };

  /// Adds each value of the block to its group, those of vector i to column `columns[i]`; any thread. O(n).
  void add(const Block& block, const std::vector<std::size_t>& columns, Scratch& scratch);
  /// Adds sum i of an array to column `columns[i]` of group 0; the array may be moved from.
  void add(AccumulatorArray& sums, const std::vector<std::size_t>& columns);

  std::size_t columns() const { return columns_; }
  /// @{ Of a group; not while add() runs.
  std::int64_t count(std::size_t group, std::size_t column) const;
  Accumulator at(std::size_t group, std::size_t column) const;
  /// @}

 private:
  using Keys = std::span<const std::uint32_t>;

  /// Part i has groups i, i + part_count, ...
  struct Part {
    explicit Part(Operation operation) : sums(operation) {}
    mutable std::mutex mutex;
    AccumulatorArray sums;
    std::int64_t bytes = 0;
  };
  static constexpr std::size_t part_count = 64;

  void arrange(Keys keys, Scratch& scratch) const;
  void add_column(const Block& block, std::size_t vector, std::size_t column, Scratch& scratch);
  template <class Add>
  void change(std::size_t part, std::size_t largest_index, const Add& add);
  std::size_t index(std::size_t group, std::size_t column) const {
    return group / part_count * columns_ + column;
  }

  Operation operation_;
  Context context_;
  std::size_t columns_;
  std::int64_t most_bytes_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::atomic<std::int64_t> bytes_ = 0;
};

}  // namespace foldline::cli
