// A launch that begins before the one before it in the stream has ended, and waits for that ("programmatic
// dependent launch" of compute capability 9.0; it must have been started so: start_early.hpp).
//
// When a launch lets the next one begin, the multiprocessors that it has left take blocks of that, which
// wait. It is best to say so late: on an H200 sums and norms of 2^20 doubles take 5.1 and 7.8 us if each
// block says so at its beginning, 5.0 and 7.5 before it leaves its counts, 4.7 and 6.9 after that; and 5.4
// and 7.1 if none does. Scans at once of integers and fast ones, whose blocks end together, say so at their
// beginning (2^18 floats 3.24 us, before they store 3.31), correctly rounded ones before they store (2^18
// doubles 5.32 instead of 5.38), and pipelines when their last tile is on its way (2^22 doubles 24.2 instead
// of 24.5).
#pragma once

namespace foldline::cuda {

/// By a thread of each block: the next launch may begin when there is room for it. (A block that ends says so
/// too.)
__device__ __forceinline__ void let_next_launch_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
/// By all threads, before anything else: the launch before has ended, and what it wrote can be seen.
__device__ __forceinline__ void wait_for_launch_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace foldline::cuda
