// Tickets of the simulator's blocks.
#pragma once

namespace foldline::cuda {

__device__ __forceinline__ unsigned take_ticket(unsigned& ticket) {
  __threadfence();
  const unsigned before = atomicAdd(&ticket, 1u);
  __threadfence();
  return before;
}

}  // namespace foldline::cuda
