// Starting kernels that may begin before what comes before them in the stream has ended (next_launch.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace foldline::cuda {

struct KernelStart {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;  // dynamic ones of each block
  cudaStream_t stream = nullptr;
  bool cooperative = false;  // all blocks run at a time
};

/// Whether what is queued in a stream becomes part of a graph.
bool is_captured(cudaStream_t stream);

/// Starts a kernel that calls wait_for_launch_before() before it touches global memory; `doing` is what fails
/// otherwise. Where its code has that call, which that for older devices has not, and on devices of the kind
/// on which it was tested (compute capability 9), the launch may begin early.
///
/// In a graph of such calls each takes 0.3 to 0.8 us less on an H200, for what it is to start a launch and to
/// end one overlaps: sums of 2^14 doubles 3.4 us instead of 3.8, scans of 2^18 int64 4.0 instead of 4.6, of
/// 2^20 ints 5.3 instead of 5.9, columns of 160000 x 8 doubles 6.1 instead of 6.7. In a stream cooperative
/// launches gain nothing, it seems.
void start_early(const void* kernel, const KernelStart& how, void** arguments, const char* doing);

}  // namespace foldline::cuda
