// Idea: the correction: the addition inside the if, the barrier after it, where all threads reach it.
// Fixes: the result no longer depends on chance.
// Limit: log2(block) barriers; the problem reduce has faster kernels.
#include "reduce/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::barrier {
namespace {

__global__ void sum_with_barrier_outside(const int* x, std::int64_t n, int* partials) {
  __shared__ int sums[1024];
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  sums[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = sums[0];
}

}  // namespace

void barrier_outside(reduce::Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(sum_with_barrier_outside, blocks, bench.block(), 0, bench.x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::barrier
