// The traces of the lanes of the warp that runs, and their replay in lock step.
#pragma once

#include "runtime/machine.hpp"

namespace simt {

/// Gives the lanes of a warp their trace buffers, with what is kept from turns before.
void begin_traces(Block& block, std::uint32_t warp);
/// Replays what its lanes have done as far as the warp as a whole has come; keeps the rest.
void replay(Block& block, std::uint32_t warp);
/// Looks at the last turn of a lane whose trace is full: does it only wait?
bool only_spins(Lane& lane);

/// Room for the events of one more call, without a pause.
void make_room(Lane& lane);

inline void push(Lane& lane, std::uint64_t address, std::uint64_t word) {
  *lane.next++ = {address, word};
  if (__builtin_expect(lane.next == lane.limit, 0)) trace_is_full();
}
/// Without a pause.
inline void push_quietly(Lane& lane, std::uint64_t address, std::uint64_t word) {
  *lane.next++ = {address, word};
  if (__builtin_expect(lane.next == lane.limit, 0)) make_room(lane);
}

}  // namespace simt
