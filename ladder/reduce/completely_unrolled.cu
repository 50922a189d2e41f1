// Idea: a block has at most 1024 threads, so there are at most ten steps: write them all out, each after a
// test of the block size.
// Fixes: no loop over the steps, hence no counter and no jump.
// Limit: the block size is tested at run time, although it is known before.
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

__device__ void add_in_block(int* part, int count, int t, int s) {
  if (t < s && t + s < count) part[t] += part[t + s];
  __syncthreads();
}

/// Lanes from s on add values that nobody reads, which costs nothing without a branch.
__device__ void add_in_warp(int* part, int count, int t, int s) {
  const int other = t + s < count ? part[t + s] : 0;
  __syncwarp();
  if (t < count) part[t] += other;
  __syncwarp();
}

__global__ void add_completely_unrolled(int* x, std::int64_t n, int* partials) {
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
  if (blockDim.x >= 1024) add_in_block(part, count, t, 512);
  if (blockDim.x >= 512) add_in_block(part, count, t, 256);
  if (blockDim.x >= 256) add_in_block(part, count, t, 128);
  if (blockDim.x >= 128) add_in_block(part, count, t, 64);
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

void completely_unrolled(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block() * 8);
  launch(add_completely_unrolled, blocks, bench.block(), 0, bench.destroyed_x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
