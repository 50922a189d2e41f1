// Tickets, by which the last block of a launch knows itself.
#pragma once

namespace foldline::cuda {

/// Returns the number of blocks that called before. Their earlier writes are visible to the calling thread,
/// and after a barrier to its block. One acquire-release instruction is faster than a relaxed addition
/// between two fences (0.6 us on an H200).
__device__ __forceinline__ unsigned take_ticket(unsigned& ticket) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(&ticket))
               : "memory");
  return before;
}

}  // namespace foldline::cuda
