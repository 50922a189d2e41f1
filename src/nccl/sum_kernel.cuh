// Sums of what other ranks sent.
#pragma once

#include "cuda/runtime/check.hpp"
#include "nccl/launch.hpp"
#include "nccl/reduce_range.cuh"

namespace foldline::nccl {

inline constexpr int sum_threads = 512;
/// So many blocks at most: the engine's kernels need room at the same time.
inline constexpr int most_blocks_of_sum = 64;

template <class T>
struct Slices {
  const T* const* array;
  __device__ const T* operator()(int p) const { return array[p]; }
};

template <class T, int Terms>
__global__ void __launch_bounds__(sum_threads, 1) sum_slices(const __grid_constant__ SumTask task) {
  extern __shared__ const void* address[];
  const int terms = task.size * task.arrays;
  bool is_aligned = reinterpret_cast<std::uintptr_t>(task.out) % 16 == 0;
  for (int p = static_cast<int>(threadIdx.x); p < terms; p += sum_threads) {
    address[p] = p / task.arrays == task.rank ? task.own[p % task.arrays] : task.received + p * task.stride;
    is_aligned = is_aligned && reinterpret_cast<std::uintptr_t>(address[p]) % 16 == 0;
  }
  const bool by_vectors = __syncthreads_and(is_aligned ? 1 : 0) != 0;
  const Slices<T> slices{reinterpret_cast<const T* const*>(address)};
  constexpr int size = Vector<T>::size;
  T* const out = static_cast<T*>(task.out);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t own = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t vectors = by_vectors ? task.count / size : 0;
  if (by_vectors)
    reduce_vectors<T, Terms>(slices, terms, own, vectors, step, [&](std::int64_t i, const Vector<T>& sums) {
      store_vector(out + i * size, sums);
    });
  reduce_elements<T>(slices, terms, vectors * size + own, task.count, step,
                     [&](std::int64_t i, T sum) { out[i] = sum; });
}

template <class T>
const void* summing_kernel(int terms) {
  if (terms <= 2) return reinterpret_cast<const void*>(&sum_slices<T, 2>);
  if (terms <= 8) return reinterpret_cast<const void*>(&sum_slices<T, 8>);
  return reinterpret_cast<const void*>(&sum_slices<T, 0>);
}

template <class T>
void launch_sum(const SumTask& task, cudaStream_t stream) {
  void* arguments[] = {const_cast<SumTask*>(&task)};
  const int terms = task.size * task.arrays;
  const std::int64_t blocks = task.count / (std::int64_t{sum_threads} * Vector<T>::size) + 1;
  cuda::check(
      cudaLaunchKernel(summing_kernel<T>(terms),
                       dim3(static_cast<unsigned>(blocks < most_blocks_of_sum ? blocks : most_blocks_of_sum)),
                       dim3(sum_threads), arguments, static_cast<std::size_t>(terms) * sizeof(void*), stream),
      "starting the sum of an all-reduce");
}

}  // namespace foldline::nccl
