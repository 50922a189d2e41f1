#include "runtime/order.hpp"

#include <algorithm>
#include <utility>

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
    if (release.fences && time < (*release.fences)[thread]) return true;
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

/// Notes fences since the barrier before.
void note_fences(Block& block) {
  const auto fence_of = [&](std::uint32_t i) {
    const LaneSync* const sync = block.lanes[i].sync.get();
    return sync != nullptr && sync->fenced ? sync->fence_time : 0;
  };
  std::vector<std::uint32_t> times(block.threads);
  bool is_new = false;
  for (std::uint32_t i = 0; i < block.threads; ++i) {
    times[i] = fence_of(i);
    is_new = is_new || times[i] > block.barrier_time;
  }
  if (is_new)
    sync_of(block.sync).fences = std::make_shared<const std::vector<std::uint32_t>>(std::move(times));
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
  note_fences(block);
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
  const bool has_fence = lane.sync && lane.sync->fenced;
  const Fences fences = lane.block->sync ? lane.block->sync->fences : nullptr;
  if (!has_fence && !fences) return;
  FlagLog& flag = flags_[address];
  flag.address = address;
  const LaneSync none;
  const LaneSync& sync = has_fence ? *lane.sync : none;
  const std::uint32_t block = lane.block->sequence;
  if (!flag.releases.empty()) {
    const Release& last = flag.releases.back();
    if (last.block == block && last.thread == lane.number && last.fence_time == sync.fence_time &&
        last.fences == fences)
      return;
  }
  flag.of_block[block].push_back(static_cast<std::uint32_t>(flag.releases.size()));
  flag.releases.push_back(
      {block, lane.number, sync.fence_time, sync.barrier_time, sync.known_at_fence, fences});
}

bool Ordering::is_before(const Lane& lane, std::uint32_t block, std::uint32_t thread, std::uint32_t time,
                         std::uintptr_t address, bool is_flag) const {
  const Sought sought{block, thread, time, address, is_flag};
  Visited visited;
  if (lane.sync && is_known(lane.sync->known, sought, visited)) return true;
  return lane.block->sync && is_known(lane.block->sync->known, sought, visited);
}

}  // namespace simt
