// Idea: the block size is a template parameter: one kernel for each size, chosen by the host.
// Fixes: the compiler evaluates the tests and removes the steps that a block does not have.
// Limit: the steps still go through global memory, and each still tests the number of elements.
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

template <int Block>
__global__ void add_with_template(int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * Block * 8;
  const int count = part_size(n, first, Block * 8), t = threadIdx.x;
  int* const part = x + first;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = t + k * Block;
    if (i < count) sum += part[i];
  }
  if (t < count) part[t] = sum;
  __syncthreads();
  if constexpr (Block >= 1024) add_in_block(part, count, t, 512);
  if constexpr (Block >= 512) add_in_block(part, count, t, 256);
  if constexpr (Block >= 256) add_in_block(part, count, t, 128);
  if constexpr (Block >= 128) add_in_block(part, count, t, 64);
  if (t >= 32) return;  // no block barrier follows
  const int left = min(count, Block);
  add_in_warp(part, left, t, 32);
  add_in_warp(part, left, t, 16);
  add_in_warp(part, left, t, 8);
  add_in_warp(part, left, t, 4);
  add_in_warp(part, left, t, 2);
  add_in_warp(part, left, t, 1);
  if (t == 0) partials[blockIdx.x] = part[0];
}

using Kernel = void (*)(int*, std::int64_t, int*);

Kernel kernel_for(int block) {
  switch (block) {
    case 32:
      return add_with_template<32>;
    case 64:
      return add_with_template<64>;
    case 128:
      return add_with_template<128>;
    case 256:
      return add_with_template<256>;
    case 512:
      return add_with_template<512>;
    default:
      return add_with_template<1024>;
  }
}

}  // namespace

void template_block_size(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block() * 8);
  launch(kernel_for(bench.block()), blocks, bench.block(), 0, bench.destroyed_x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
