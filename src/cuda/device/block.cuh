// Thread indices, reductions over a warp or a block, and dynamic shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/host_device.hpp"

namespace foldline::cuda {

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x & 31); }
__device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x >> 5); }

/// The block's dynamic shared memory, aligned to 128 bytes, and its size.
__device__ __forceinline__ std::byte* dynamic_memory() {
  extern __shared__ __align__(128) std::byte dynamic_memory_of_block[];
  return dynamic_memory_of_block;
}
__device__ __forceinline__ int dynamic_memory_bytes() {
  int bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

// A single instruction from compute capability 8.0 on.
__device__ __forceinline__ int warp_sum(int x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(all_lanes, x);
#else
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(all_lanes, x, distance);
  return x;
#endif
}
__device__ __forceinline__ unsigned warp_max(unsigned x) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, x);
#else
  for (int distance = 16; distance > 0; distance /= 2) x = max(x, __shfl_xor_sync(all_lanes, x, distance));
  return x;
#endif
}
__device__ __forceinline__ std::int64_t warp_sum(std::int64_t x) {
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(all_lanes, x, distance);
  return x;
}
__device__ __forceinline__ Int128 warp_sum(Int128 x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const std::uint64_t low = __shfl_xor_sync(all_lanes, static_cast<std::uint64_t>(x), distance);
    const std::int64_t high = __shfl_xor_sync(all_lanes, static_cast<std::int64_t>(x >> 64), distance);
    x += static_cast<Int128>(high) << 64 | low;
  }
  return x;
}
/// Another lane's number; the same lane's in all.
__device__ __forceinline__ Int128 shuffle(Int128 x, int from) {
  const std::uint64_t low = __shfl_sync(all_lanes, static_cast<std::uint64_t>(x), from);
  const std::int64_t high = __shfl_sync(all_lanes, static_cast<std::int64_t>(x >> 64), from);
  return static_cast<Int128>(high) << 64 | low;
}
__device__ __forceinline__ std::int64_t warp_min(std::int64_t x) {
  for (int distance = 16; distance > 0; distance /= 2) {
    const std::int64_t other = __shfl_xor_sync(all_lanes, x, distance);
    x = other < x ? other : x;
  }
  return x;
}

/// A median of the warp's values.
__device__ inline unsigned warp_median(unsigned x) {
  int rank = 0;
  for (int i = 0; i < 32; ++i) {
    const unsigned other = __shfl_sync(all_lanes, x, i);
    rank += other < x || (other == x && i < lane());
  }
  return __shfl_sync(all_lanes, x, __ffs(static_cast<int>(__ballot_sync(all_lanes, rank == 16))) - 1);
}

/// The maximum over the block, in every thread. `scratch` has one value per warp; all threads call.
template <int Threads>
__device__ __forceinline__ unsigned block_max(unsigned x, unsigned (&scratch)[Threads / 32]) {
  x = warp_max(x);
  if (lane() == 0) scratch[warp()] = x;
  __syncthreads();
  return warp_max(scratch[lane() % (Threads / 32)]);
}

}  // namespace foldline::cuda
