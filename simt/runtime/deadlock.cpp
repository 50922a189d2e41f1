#include "runtime/deadlock.hpp"

#include <map>

#include "memory/memory.hpp"
#include "runtime/block.hpp"
#include "runtime/places.hpp"
#include "runtime/warp_functions.hpp"

namespace simt {
namespace {

std::string threads(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " thread" : " threads"); }

/// Lanes in the same state at the same place.
struct Group {
  const Lane* first = nullptr;
  std::uint32_t count = 0;
};

const char* name_of_function(int function) {
  static const char* const names[] = {"__shfl_sync()",
                                      "__shfl_up_sync()",
                                      "__shfl_down_sync()",
                                      "__shfl_xor_sync()",
                                      "a vote",
                                      "__syncwarp()",
                                      "__activemask()",
                                      "__match_any_sync()",
                                      "__match_all_sync()",
                                      "a matrix instruction"};
  return names[function];
}

std::string what_it_does(const Lane& lane) {
  switch (lane.state) {
    case LaneState::ended:
      return "has left the kernel";
    case LaneState::at_barrier:
      return "waits at __syncthreads() at " + place_of(lane.request.site);
    case LaneState::in_warp_function:
      return std::string("waits at ") + name_of_function(lane.request.function) + " at " +
             place_of(lane.request.site);
    default:
      return "runs";
  }
}

std::map<std::string, Group> groups_of(const Block& block) {
  std::map<std::string, Group> groups;
  for (std::uint32_t i = 0; i < block.threads; ++i) {
    Group& group = groups[what_it_does(block.lanes[i])];
    if (group.count++ == 0) group.first = &block.lanes[i];
  }
  return groups;
}

}  // namespace

void explain_stuck(Block& block) {
  const auto groups = groups_of(block);
  const Lane* at = nullptr;
  std::string text;
  for (const auto& [what, group] : groups) {
    if (group.first->state == LaneState::in_warp_function &&
        (at == nullptr || at->state != LaneState::in_warp_function))
      at = group.first;
    if (group.first->state == LaneState::at_barrier && at == nullptr) at = group.first;
    if (!text.empty()) text += "; ";
    text += "thread " + name_of_index(group.first->index);
    if (group.count > 1) text += " and " + std::to_string(group.count - 1) + " more";
    text += ": " + what;
  }
  const bool warp = at != nullptr && at->state == LaneState::in_warp_function;
  fail(warp ? ErrorKind::mask : ErrorKind::barrier, at, at == nullptr ? 0 : at->request.site,
       (warp ? std::string("not all lanes that the mask names come here, in block ")
             : std::string("not all threads of the block come to the same barrier, in block ")) +
           name_of_index(block.index) + ": " + text);
}

void explain_deadlock(std::uint64_t started) {
  Machine& all = machine();
  const Lane* waiting = nullptr;
  std::uint64_t count = 0;
  std::string text;
  for (const auto& block : all.live) {
    for (std::uint32_t i = 0; i < block->threads; ++i) {
      const Lane& lane = block->lanes[i];
      if (!lane.spins || lane.state != LaneState::ready) continue;
      if (waiting == nullptr) waiting = &lane;
      if (count++ < 3)
        text += (text.empty() ? "" : "; ") + name_of_thread(lane) + " reads " +
                describe(lane.spin_address, 4, !device_memory().contains(lane.spin_address)) + " at " +
                place_of(lane.spin_site) + " again and again";
    }
  }
  if (count > 3) text += "; and " + threads(count - 3) + " more";
  const std::uint64_t left = all.blocks - started;
  if (left != 0)
    text += "; " + std::to_string(left) + (left == 1 ? " block does" : " blocks do") +
            " not start, because the device holds " + std::to_string(all.resident) + " at once";
  fail(ErrorKind::deadlock, waiting, waiting == nullptr ? 0 : waiting->spin_site,
       "all threads that run wait for a change that none of them makes: " + text);
}

void Watchdog::look(const Lane& lane) {
  constexpr std::uint32_t turns_between_looks = 1024;
  if (++turns_ % turns_between_looks != 0) return;
  const auto now = std::chrono::steady_clock::now();
  Machine& all = machine();
  if (all.progress != progress_ || all.first_sequence != launch_) {
    progress_ = all.progress;
    launch_ = all.first_sequence;
    since_ = now;
    return;
  }
  if (now - since_ < std::chrono::duration<double>(all.options.watchdog_seconds)) return;
  std::uintptr_t site = 0;
  for (const Event* event = lane.next - 1; site == 0 && event > lane.next - 16; --event)
    if (event->kind() == EventKind::block) site = all.basic_blocks[event->code()].address + 1;
  fail(ErrorKind::deadlock, &lane, site,
       name_of_thread(lane) + " runs on and on, and for " +
           std::to_string(static_cast<int>(all.options.watchdog_seconds)) +
           " seconds no thread has written anything: does its loop end?");
}

}  // namespace simt
