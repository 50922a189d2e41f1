// The roof of whatever reads memory: kernels that load, and do next to no arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace foldline::bench::cuda {

/// A way to read.
struct ReadKernel {
  std::string name;
  /// Reads so many bytes, but for the last ones if they are no multiple of 16. `sink` is an int on the
  /// device, for results that nobody needs.
  cudaError_t (*queue)(const void* data, std::int64_t bytes, int* sink, cudaStream_t stream);
};

/// Which of them is the fastest differs from GPU to GPU, and with the size.
std::vector<ReadKernel> read_kernels();

}  // namespace foldline::bench::cuda
