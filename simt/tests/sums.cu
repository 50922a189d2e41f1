// Sums by every way in which threads can work together.
#include "sums.hpp"

#include <simt/simt.hpp>

namespace {

__global__ void sum_in_shared(const int* x, std::int64_t n, long long* total) {
  extern __shared__ int part[];
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  part[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0 && t + s < blockDim.x) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(part[0]));
}

__device__ int warp_sum(int value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__global__ void sum_by_shuffles(const int* x, std::int64_t n, long long* total) {
  __shared__ int of_warp[32];
  int value = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * blockDim.x)
    value += x[i];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum(value);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < blockDim.x / 32 ? of_warp[lane] : 0);
  if (threadIdx.x == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(value));
}

__global__ void sum_with_warp_barriers(const int* x, std::int64_t n, long long* total) {
  __shared__ int part[1024];
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  part[t] = i < n ? x[i] : 0;
  __syncwarp();
  for (int s = 16; s > 0; s /= 2) {
    const int other = t % 32 + s < 32 ? part[t + s] : 0;
    __syncwarp();
    part[t] += other;
    __syncwarp();
  }
  if (t % 32 == 0)
    atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(part[t]));
}

__global__ void count_blocks(unsigned* count) {
  if (threadIdx.x == 0) atomicAdd(count, 1u);
}

}  // namespace

void run_sum(Way way, const int* x, std::int64_t n, int block, long long* total) {
  const auto grid = static_cast<unsigned>((n + block - 1) / block);
  if (grid == 0) return;
  switch (way) {
    case Way::shared:
      return simt::launch(sum_in_shared, grid, block, block * sizeof(int), nullptr, x, n, total);
    case Way::shuffles:
      return simt::launch(sum_by_shuffles, grid, block, 0, nullptr, x, n, total);
    case Way::warp_barriers:
      return simt::launch(sum_with_warp_barriers, grid, block, 0, nullptr, x, n, total);
  }
}

void run_count_blocks(std::int64_t blocks, unsigned* count) {
  simt::launch(count_blocks, static_cast<unsigned>(blocks), 32, 0, nullptr, count);
}
