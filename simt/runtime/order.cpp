#include "runtime/order.hpp"

#include <algorithm>

#include "runtime/state.hpp"

namespace simt {
namespace {

void add(std::vector<Knowledge>& all, const Knowledge& more) {
  for (Knowledge& one : all)
    if (one.flag == more.flag) {
      one.count = std::max(one.count, more.count);
      return;
    }
  all.push_back(more);
}

void add(std::vector<Knowledge>& all, const std::vector<Knowledge>& more) {
  for (const Knowledge& one : more) add(all, one);
}

LaneSync& sync_of(std::unique_ptr<LaneSync>& sync) {
  if (!sync) sync = std::make_unique<LaneSync>();
  return *sync;
}

/// An access that is looked for in what is known.
struct Sought {
  std::uint32_t block, thread, time;
  std::uintptr_t address;
  bool is_flag;

  bool found_in(const Release& release, const FlagLog& flag) const {
    if (time < release.barrier_time) return true;
    return release.thread == thread && (time < release.fence_time || (is_flag && flag.address == address));
  }
};

using Visited = std::unordered_map<const FlagLog*, std::uint32_t>;

bool is_known(const std::vector<Knowledge>& known, const Sought& sought, Visited& visited);

bool is_known(const Knowledge& known, const Sought& sought, Visited& visited) {
  const FlagLog& flag = *known.flag;
  std::uint32_t& done = visited[&flag];
  if (done >= known.count) return false;
  if (const auto own = flag.of_block.find(sought.block); own != flag.of_block.end())
    for (const std::uint32_t number : own->second)
      if (number < known.count && sought.found_in(flag.releases[number], flag)) return true;
  const std::uint32_t from = done;
  done = known.count;
  for (std::uint32_t i = from; i < known.count; ++i)
    if (is_known(flag.releases[i].known, sought, visited)) return true;
  return false;
}

bool is_known(const std::vector<Knowledge>& known, const Sought& sought, Visited& visited) {
  return std::any_of(known.begin(), known.end(),
                     [&](const Knowledge& one) { return is_known(one, sought, visited); });
}

}  // namespace

void Ordering::fence(Lane& lane) {
  LaneSync& sync = sync_of(lane.sync);
  lane.block->has_sync = true;
  Block& block = *lane.block;
  add(sync.known, sync.seen);
  sync.seen.clear();
  sync.known_at_fence = sync.known;
  if (block.sync) {
    add(sync.known, block.sync->seen);
    add(sync.known_at_fence, sync.known);
    add(sync.known_at_fence, block.sync->known);
  }
  sync.fenced = true;
  sync.fence_time = ++block.time;
  sync.barrier_time = block.barrier_time;
}

void Ordering::barrier(Block& block) {
  for (Lane& lane : block.lanes) {
    if (!lane.sync || (lane.sync->seen.empty() && lane.sync->known.empty())) continue;
    LaneSync& all = sync_of(block.sync);
    add(all.seen, lane.sync->seen);
    add(all.known, lane.sync->known);
    lane.sync->seen.clear();
    lane.sync->known.clear();
  }
}

void Ordering::read_flag(Lane& lane, std::uintptr_t address) {
  if (flags_.empty()) return;
  const auto flag = flags_.find(address);
  if (flag == flags_.end()) return;
  lane.block->has_sync = true;
  add(sync_of(lane.sync).seen, {&flag->second, static_cast<std::uint32_t>(flag->second.releases.size())});
}

void Ordering::write_flag(Lane& lane, std::uintptr_t address) {
  if (!lane.sync || !lane.sync->fenced) return;
  FlagLog& flag = flags_[address];
  flag.address = address;
  const LaneSync& sync = *lane.sync;
  const std::uint32_t block = lane.block->sequence;
  if (!flag.releases.empty()) {
    const Release& last = flag.releases.back();
    if (last.block == block && last.thread == lane.number && last.fence_time == sync.fence_time) return;
  }
  flag.of_block[block].push_back(static_cast<std::uint32_t>(flag.releases.size()));
  flag.releases.push_back({block, lane.number, sync.fence_time, sync.barrier_time, sync.known_at_fence});
}

bool Ordering::is_before(const Lane& lane, std::uint32_t block, std::uint32_t thread, std::uint32_t time,
                         std::uintptr_t address, bool is_flag) const {
  const Sought sought{block, thread, time, address, is_flag};
  Visited visited;
  if (lane.sync && is_known(lane.sync->known, sought, visited)) return true;
  return lane.block->sync && is_known(lane.block->sync->known, sought, visited);
}

}  // namespace simt
