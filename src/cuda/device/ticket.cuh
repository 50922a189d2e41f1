// Tickets: which block of a launch is the last.
#pragma once

namespace foldline::cuda {

/// How many blocks came before. What those wrote before they took theirs can be seen afterwards: by the
/// thread that called, and behind a barrier by its block. (One instruction: a fence on either side of a
/// relaxed addition takes 0.6 us more on an H200.)
__device__ __forceinline__ unsigned take_ticket(unsigned& ticket) {
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(&ticket))
               : "memory");
  return before;
}

}  // namespace foldline::cuda
