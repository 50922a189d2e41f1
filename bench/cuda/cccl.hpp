// CUB and Thrust, of one release of CCCL or of two.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <vector>

#include <foldline/types.hpp>

namespace foldline::bench::cuda {

/// The routines of one release, with CUB's convention: without scratch memory they return how much they need.
/// Null where T is not supported. Sizes are ints; 64-bit sizes take CUB no less time.
template <Element T>
struct Cccl {
  using OneVector = cudaError_t (*)(void* scratch, std::size_t& bytes, const T* x, T* result, int size,
                                    cudaStream_t stream);
  using TwoVectors = cudaError_t (*)(void* scratch, std::size_t& bytes, const T* x, const T* y, T* result,
                                     int size, cudaStream_t stream);
  std::string release;  ///< "3.0.1"
  OneVector sum, abs_sum, inclusive_sum;
  TwoVectors dot;
  /// Waits for its result; allocates memory at the first call only.
  T (*thrust_sum)(const T* x, int size, cudaStream_t stream);
};

/// The one that the CUDA toolkit brings along.
template <Element T>
Cccl<T> bundled_cccl();

/// The one that FOLDLINE_BENCH_CCCL names.
template <Element T>
Cccl<T> other_cccl();

template <Element T>
std::vector<Cccl<T>> all_cccl() {
#ifdef FOLDLINE_BENCH_OTHER_CCCL
  return {bundled_cccl<T>(), other_cccl<T>()};
#else
  return {bundled_cccl<T>()};
#endif
}

}  // namespace foldline::bench::cuda
