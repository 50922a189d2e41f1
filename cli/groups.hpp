// --by: a sum for each group of rows.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "small_sum.hpp"
#include "source.hpp"

namespace foldline::cli {

/// Where a value stands in the input.
struct Place {
  std::int64_t block = 0;
  std::int64_t index = 0;  ///< among the values of its column in the block
  auto operator<=>(const Place&) const = default;
};

/// One group in one column.
struct Group {
  SmallSum sum;
  Place first;  ///< of its values
  bool used = false;
};

/// The groups of one file. All threads add to the same table: one table each would take as many times the
/// memory, and a group is locked for the time of an addition only.
class GroupTable {
 public:
  GroupTable(Operation operation, const Context& context, std::size_t columns);

  /// What one thread needs to sort a block.
  struct Scratch {
    std::vector<std::uint32_t> counts, order;
    std::array<std::vector<std::byte>, 2> sorted;
  };

  /// Adds each value of the block to its group; any thread. O(n) time, O(n log n) if there are far more
  /// groups than values in a block.
  void add(const Block& block, Scratch& scratch);

  std::size_t columns() const { return columns_; }
  /// The group of an index of Source::keys(); not while add() runs. Null for a group without values.
  Group* find(std::size_t key, std::size_t column);

 private:
  struct Shard {
    std::mutex mutex;  ///< guards groups
    std::deque<Group> groups;
  };
  static constexpr std::size_t shard_count = 64;

  void add_run(std::size_t key, std::size_t column, const std::vector<VectorView>& run, const Place& first);

  Operation operation_;
  Context context_;
  std::size_t columns_;
  std::unique_ptr<Shard[]> shards_ = std::make_unique<Shard[]>(shard_count);
};

}  // namespace foldline::cli
