// The sum over a block by warp shuffles: the idea of the rungs called warp_shuffles, used by others too.
#pragma once

namespace foldline::ladder {

/// The sum over the warp, in lane 0. All 32 lanes must call it.
template <class T>
__device__ T warp_sum(T value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

/// The sum over the block, in thread 0. All threads must call it, once.
template <class T>
__device__ T block_sum(T value) {
  __shared__ T of_warp[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : T{});
  return value;
}

}  // namespace foldline::ladder
