#include "runtime/block.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/checks.hpp"
#include "runtime/deadlock.hpp"
#include "runtime/places.hpp"
#include "runtime/shared_memory.hpp"
#include "runtime/trace.hpp"

namespace simt {
namespace {

Watchdog watchdog;

void run_thread(void* argument) {
  Lane& lane = *static_cast<Lane*>(argument);
  machine().body(machine().context);
  lane.state = LaneState::ended;
}

void run_lane(Lane& lane) {
  current_lane = &lane;
  lane.fiber.resume();
  current_lane = nullptr;
  if (lane.suspect && lane.suspect->has_write) checks().verify_store(lane);  // before others write there
  if (lane.state == LaneState::ended || lane.state == LaneState::at_barrier) checks().settle_lane(lane);
}

/// Lanes go on after clock64() when the warp's instructions before it have been counted.
bool read_clocks(Block& block, Lane* begin, Lane* end) {
  bool any = false;
  for (Lane* lane = begin; lane != end; ++lane) {
    if (lane->state != LaneState::at_clock) continue;
    lane->request.value = static_cast<std::uint64_t>(clock_of(block));
    lane->state = LaneState::ready;
    any = true;
  }
  return any;
}

/// Runs the lanes of a warp until each ends, waits or spins. True if anything but spinning was done.
bool run_warp(Block& block, std::uint32_t warp) {
  Lane* const begin = &block.lanes[warp * warp_lanes];
  Lane* const end = begin + std::min(warp_lanes, block.threads - warp * warp_lanes);
  bool moved = false;
  for (bool again = true; again;) {
    again = false;
    bool ran = false;
    begin_traces(block, warp);
    for (Lane* lane = begin; lane != end; ++lane) {
      if (lane->state != LaneState::ready) continue;
      run_lane(*lane);
      if (machine().error) return true;
      ran = true;
      const bool spins = lane->state == LaneState::ready && only_spins(*lane);
      lane->spins = spins;
      if (!spins) moved = true;
      if (lane->state == LaneState::ready) watchdog.look(*lane);
      again = again || (lane->state == LaneState::ready && !spins);
    }
    if (ran) replay(block, warp);
    if (read_clocks(block, begin, end)) again = true;
    if (complete_warp_functions(block, warp)) again = moved = true;
    if (machine().error) return true;
    if (machine().options.order == Order::hostile && machine().random() % 4 == 0) break;
  }
  return moved;
}

/// In which order the warps have their turns.
std::vector<std::uint32_t> order_of_warps(const Block& block) {
  std::vector<std::uint32_t> order(block.warps.size());
  std::iota(order.begin(), order.end(), 0);
  if (machine().options.order == Order::reversed) std::reverse(order.begin(), order.end());
  if (machine().options.order == Order::hostile) std::shuffle(order.begin(), order.end(), machine().random);
  return order;
}

struct States {
  std::uint32_t ended = 0, at_barrier = 0, ready = 0;
  bool one_site = true;
};

States states_of(const Block& block) {
  States states;
  const Lane* first = nullptr;
  for (std::uint32_t i = 0; i < block.threads; ++i) {
    const Lane& lane = block.lanes[i];
    states.ended += lane.state == LaneState::ended;
    states.ready += lane.state == LaneState::ready;
    if (lane.state != LaneState::at_barrier) continue;
    ++states.at_barrier;
    if (first == nullptr) first = &lane;
    states.one_site = states.one_site && lane.request.site == first->request.site;
  }
  return states;
}

/// Copies of a line of the source, as of an unrolled loop, are one barrier.
bool at_one_place(const Block& block) {
  std::string place;
  for (std::uint32_t i = 0; i < block.threads; ++i) {
    if (block.lanes[i].state != LaneState::at_barrier) continue;
    const std::string other = place_of(block.lanes[i].request.site);
    if (place.empty()) place = other;
    if (place != other) return false;
  }
  return true;
}

void pass_barrier(Block& block) {
  if (block.has_sync) checks().ordering.barrier(block);
  block.barrier_time = ++block.time;
  ++machine().progress;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < block.threads; ++i) sum += block.lanes[i].request.value;
  for (std::uint32_t i = 0; i < block.threads; ++i) {
    Lane& lane = block.lanes[i];
    lane.request.value = sum;
    lane.state = LaneState::ready;
    restamp(lane);
  }
}

}  // namespace

void start_block(Block& block, std::uint64_t number) {
  Machine& all = machine();
  block.number = number;
  block.sequence = all.first_sequence + static_cast<std::uint32_t>(number);
  block.index = {static_cast<unsigned>(number % all.grid.x),
                 static_cast<unsigned>(number / all.grid.x % all.grid.y),
                 static_cast<unsigned>(number / all.grid.x / all.grid.y)};
  block.time = block.barrier_time = 1;
  block.issued = block.memory_turns = 0;
  block.threads = all.threads;
  block.spins = false;
  block.sync.reset();
  block.has_sync = false;
  if (block.lanes.size() < all.threads) block.lanes = std::vector<Lane>(all.threads);
  block.warps.resize((all.threads + warp_lanes - 1) / warp_lanes);
  for (std::uint32_t w = 0; w < block.warps.size(); ++w) {
    const std::uint32_t lanes = std::min(warp_lanes, all.threads - w * warp_lanes);
    block.warps[w].stack.start(lanes == warp_lanes ? ~0u : (1u << lanes) - 1);
    block.warps[w].synchronised = 0;
    block.warps[w].known.reset();
  }
  for (std::uint32_t i = 0; i < all.threads; ++i) {
    Lane& lane = block.lanes[i];
    lane.block = &block;
    lane.number = i;
    lane.index = {i % all.block.x, i / all.block.x % all.block.y, i / all.block.x / all.block.y};
    lane.state = LaneState::ready;
    lane.spins = false;
    lane.kept.clear();
    lane.copies.clear();
    lane.copy_group = 0;
    lane.sync.reset();
    lane.suspect.reset();
    lane.stack = block.stacks.begin_of(i);
    restamp(lane);
    lane.fiber.start(lane.stack, i, run_thread, &lane);
  }
}

long long clock_of(const Block& block) {
  return static_cast<long long>(std::max(block.issued / 4, block.memory_turns));
}

bool run_turn(Block& block) {
  load_shared(block);
  for (;;) {
    bool moved = false;
    for (const std::uint32_t warp : order_of_warps(block)) {
      moved = run_warp(block, warp) || moved;
      if (machine().error) return true;
    }
    const States states = states_of(block);
    if (states.ended + states.at_barrier == block.threads) {
      checks().settle(block);
      if (machine().error) return true;
      if (states.ended == block.threads) return false;
      if (states.ended != 0 || !(states.one_site || at_one_place(block))) return explain_stuck(block), true;
      pass_barrier(block);
      moved = true;
    }
    if (!moved && states.ready == 0) return explain_stuck(block), true;
    block.spins = !moved;
    if (!moved || (machine().options.order == Order::hostile && machine().random() % 8 == 0)) return true;
  }
}

}  // namespace simt
