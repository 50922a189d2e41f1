// Idea: once 64 elements are left, one warp adds them alone, step by step without a loop, while the other
// warps exit.
// Fixes: six block barriers become warp barriers, and the loop counter disappears.
// Limit: it still goes through memory between steps. Textbooks write the six steps without any barrier, on
// `volatile` memory: since Volta the lanes of a warp need not run in lockstep, so that is a race. Each step
// here reads, synchronises, writes, synchronises.
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

/// Lanes from s on add values that nobody reads, which costs nothing without a branch.
__device__ void add_in_warp(int* part, int count, int t, int s) {
  const int other = t + s < count ? part[t + s] : 0;
  __syncwarp();
  if (t < count) part[t] += other;
  __syncwarp();
}

__global__ void add_unrolled_last_warp(int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * 8;
  const int count = part_size(n, first, blockDim.x * 8), t = threadIdx.x;
  int* const part = x + first;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = t + k * blockDim.x;
    if (i < count) sum += part[i];
  }
  if (t < count) part[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 32; s /= 2) {
    if (t < s && t + s < count) part[t] += part[t + s];
    __syncthreads();
  }
  if (t >= 32) return;  // no block barrier follows
  const int left = min(count, static_cast<int>(blockDim.x));
  add_in_warp(part, left, t, 32);
  add_in_warp(part, left, t, 16);
  add_in_warp(part, left, t, 8);
  add_in_warp(part, left, t, 4);
  add_in_warp(part, left, t, 2);
  add_in_warp(part, left, t, 1);
  if (t == 0) partials[blockIdx.x] = part[0];
}

}  // namespace

void unrolled_last_warp(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block() * 8);
  launch(add_unrolled_last_warp, blocks, bench.block(), 0, bench.destroyed_x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
