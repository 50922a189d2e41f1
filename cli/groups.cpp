#include "groups.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace foldline::cli {
namespace {

using Keys = std::span<const std::uint32_t>;

/// The indices of the keys, sorted by key, equal ones in their order.
void sort_indices(Keys keys, GroupTable::Scratch& scratch) {
  scratch.order.resize(keys.size());
  const std::size_t largest = keys.empty() ? 0 : *std::ranges::max_element(keys);
  if (largest > 8 * keys.size()) {  // counting would cost more than comparing
    std::iota(scratch.order.begin(), scratch.order.end(), std::uint32_t{0});
    std::ranges::sort(scratch.order, {}, [&](std::uint32_t i) { return std::pair(keys[i], i); });
    return;
  }
  scratch.counts.assign(largest + 2, 0);
  for (const std::uint32_t key : keys) ++scratch.counts[key + 1];
  std::partial_sum(scratch.counts.begin(), scratch.counts.end(), scratch.counts.begin());
  for (std::uint32_t i = 0; i < keys.size(); ++i) scratch.order[scratch.counts[keys[i]]++] = i;
}

/// The values in the order of the sorted indices.
VectorView gather(const VectorView& x, const std::vector<std::uint32_t>& order, std::vector<std::byte>& to) {
  const auto element = static_cast<std::size_t>(size_of(x.type()));
  to.resize(order.size() * element);
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(to.data() + i * element, x.at(order[i]), element);
  return {to.data(), x.type(), x.size()};
}

}  // namespace

GroupTable::GroupTable(Operation operation, const Context& context, std::size_t columns)
    : operation_(operation), context_(context), columns_(columns) {}

void GroupTable::add(const Block& block, Scratch& scratch) {
  const bool pairs = columns_ == 1 && block.vectors.size() == 2;
  for (std::size_t column = 0; column < columns_; ++column) {
    const Keys keys = block.keys[column];
    sort_indices(keys, scratch);
    std::vector<VectorView> sorted = {gather(block.vectors[column], scratch.order, scratch.sorted[0])};
    if (pairs) sorted.push_back(gather(block.vectors[1], scratch.order, scratch.sorted[1]));
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
      const std::uint32_t key = keys[scratch.order[begin]];
      while (end < keys.size() && keys[scratch.order[end]] == key) ++end;
      std::vector<VectorView> run;
      run.reserve(sorted.size());
      for (const VectorView& vector : sorted)
        run.push_back(vector.part(static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin)));
      add_run(key, column, run, {block.number, scratch.order[begin]});
    }
  }
}

void GroupTable::add_run(std::size_t key, std::size_t column, const std::vector<VectorView>& run,
                         const Place& first) {
  const std::size_t index = key * columns_ + column;
  Shard& shard = shards_[index % shard_count];
  const std::lock_guard lock(shard.mutex);
  if (shard.groups.size() <= index / shard_count) shard.groups.resize(index / shard_count + 1);
  Group& group = shard.groups[index / shard_count];
  group.first = group.used ? std::min(group.first, first) : first;
  group.used = true;
  group.sum.add(operation_, run, context_);
}

Group* GroupTable::find(std::size_t key, std::size_t column) {
  const std::size_t index = key * columns_ + column;
  std::deque<Group>& groups = shards_[index % shard_count].groups;
  if (groups.size() <= index / shard_count || !groups[index / shard_count].used) return nullptr;
  return &groups[index / shard_count];
}

}  // namespace foldline::cli
