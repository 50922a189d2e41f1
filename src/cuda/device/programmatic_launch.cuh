// Programmatic dependent launch (compute capability 9.0): a kernel starts before the previous one in the
// stream has ended, and waits for it. The host must launch it with launch_programmatically
// (runtime/programmatic_launch.hpp).
//
// Once every block has allowed the dependent launch, its blocks occupy free multiprocessors and wait there.
// Kernels therefore allow it late: reductions after they publish their partial sums, pipelines when their
// last tile is loaded, exact single-wave scans before they store. Other single-wave scans, whose blocks end
// together, allow it first.
#pragma once

namespace foldline::cuda {

/// One thread of each block calls: the next launch may start when there is room. Exiting implies it.
__device__ __forceinline__ void allow_dependent_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}
/// All threads call, before they access global memory: waits until the previous launch has ended and its
/// writes are visible.
__device__ __forceinline__ void wait_for_previous_launch() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace foldline::cuda
