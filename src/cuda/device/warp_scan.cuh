// Prefix sums over a warp and over a block.
#pragma once

#include <cstdint>

#include "arithmetic/host_device.hpp"
#include "cuda/device/block.cuh"

namespace foldline::cuda {

__device__ __forceinline__ std::int64_t shuffle_up(std::int64_t x, int distance) {
  return __shfl_up_sync(all_lanes, x, distance);
}
__device__ __forceinline__ Uint128 shuffle_up(Uint128 x, int distance) {
  const std::uint64_t low = __shfl_up_sync(all_lanes, static_cast<std::uint64_t>(x), distance);
  const std::uint64_t high = __shfl_up_sync(all_lanes, static_cast<std::uint64_t>(x >> 64), distance);
  return static_cast<Uint128>(high) << 64 | low;
}

__device__ __forceinline__ Int128 shuffle_up(Int128 x, int distance) {
  return static_cast<Int128>(shuffle_up(static_cast<Uint128>(x), distance));
}

/// The inclusive prefix sum over the lanes.
template <class Integer>
__device__ __forceinline__ Integer inclusive_warp_scan(Integer x) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const Integer below = shuffle_up(x, distance);
    if (lane() >= distance) x += below;
  }
  return x;
}

/// The exclusive prefix sum over the threads of a block; `total` is the sum of all. All threads call.
/// `scratch` may be reused after the next barrier.
template <int Threads, class Integer>
__device__ __forceinline__ Integer exclusive_block_scan(Integer x, Integer (&scratch)[Threads / 32],
                                                        Integer& total) {
  const Integer up_to = inclusive_warp_scan(x);
  if (lane() == 31) scratch[warp()] = up_to;
  __syncthreads();
  Integer before = up_to - x;
  total = 0;
  for (int w = 0; w < Threads / 32; ++w) {
    if (w < warp()) before += scratch[w];
    total += scratch[w];
  }
  return before;
}

/// Replaces `n` values in memory by their exclusive prefix sums, which start at `sum`; adds all values to
/// `sum`.
template <int Threads, class Integer>
__device__ void exclusive_scan_in_place(Integer* values, int n, Integer& sum) {
  __shared__ Integer scratch[Threads / 32];
  Integer carry = sum;
  for (int first = 0; first < n; first += Threads) {
    const int i = first + static_cast<int>(threadIdx.x);
    Integer total;
    const Integer before = exclusive_block_scan<Threads>(i < n ? values[i] : Integer{0}, scratch, total);
    if (i < n) values[i] = carry + before;
    carry += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) sum = carry;
}

}  // namespace foldline::cuda
