// The states that the parts of a scan publish.
#pragma once

#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {

/// A sum in the low half; the high half says whether it is that of the part alone or of all parts up to it.
/// 0: nothing is published yet.
using State = unsigned long long;
constexpr State of_part = State{1} << 32, of_all = State{2} << 32;

__device__ inline State state(State kind, int sum) { return kind | static_cast<unsigned>(sum); }

/// A word is read and written indivisibly, bypassing L1.
__device__ inline void publish(State* address, State state) { atomicExch(address, state); }
__device__ inline State wait_for(const State* address) {
  State seen;
  do seen = *static_cast<const volatile State*>(address);
  while (seen == 0);
  return seen;
}

/// The sum of all parts before this one, whose own sum is `total`; one warp calls it. Publishes both sums.
__device__ inline int look_back(State* states, unsigned part, int total) {
  const int lane = threadIdx.x % 32;
  if (lane == 0) publish(states + part, state(part == 0 ? of_all : of_part, total));
  int before = 0;
  for (std::int64_t last = std::int64_t{part} - 1; last >= 0; last -= 32) {
    const State seen =
        last >= lane ? wait_for(states + last - lane) : of_all;  // nothing is before the first part
    const unsigned whole = __ballot_sync(0xffffffff, seen >= of_all);
    const int nearest = whole == 0 ? 31 : __ffs(whole) - 1;  // it includes all parts before it
    int sum = lane <= nearest ? static_cast<int>(static_cast<unsigned>(seen)) : 0;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
    before += sum;
    if (whole != 0) break;
  }
  if (lane == 0 && part != 0) publish(states + part, state(of_all, before + total));
  return before;
}

}  // namespace foldline::ladder::scan
