// Prefix sums over a warp and over a block: the ideas of the rungs one_warp and one_block, used by others
// too.
#pragma once

#include <cstdint>

namespace foldline::ladder::scan {

/// The inclusive prefix sum over the warp (Hillis and Steele 1986): log2(32) steps, in each of which a lane
/// adds the value of the lane `distance` before it. All 32 lanes must call it.
__device__ inline int warp_scan(int value) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

/// The same over the block; `total` is the block's sum. All threads must call it, any number of times.
__device__ inline int block_scan(int value, int& total) {
  __shared__ int of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_scan(value);
  __syncthreads();  // of_warp may still be read in the call before
  if (lane == 31) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) of_warp[lane] = warp_scan(lane < blockDim.x / 32 ? of_warp[lane] : 0);
  __syncthreads();
  total = of_warp[31];
  return warp == 0 ? value : value + of_warp[warp - 1];
}

/// Scans [first, end) of x, a block at a time, from the sum before. All threads must call it.
__device__ inline void scan_part(const int* x, int* out, std::int64_t first, std::int64_t end, int before) {
  for (; first < end; first += blockDim.x) {
    const std::int64_t i = first + threadIdx.x;
    int total;
    const int sum = block_scan(i < end ? x[i] : 0, total);
    if (i < end) out[i] = before + sum;
    before += total;
  }
}

}  // namespace foldline::ladder::scan
