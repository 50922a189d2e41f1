// The roof of everything that reads memory: kernels that load, with hardly any arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <vector>

namespace foldline::bench::cuda {

/// A way to read.
struct ReadKernel {
  std::string name;
  /// Reads `bytes` bytes, rounded down to a multiple of 16. `sink` is an int on the device, for results that
  /// are not used.
  cudaError_t (*queue)(const void* data, std::int64_t bytes, int* sink, cudaStream_t stream);
};

/// Which of them is the fastest differs from GPU to GPU, and with the size.
std::vector<ReadKernel> read_kernels();

}  // namespace foldline::bench::cuda
