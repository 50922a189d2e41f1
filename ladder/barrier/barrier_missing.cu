// Idea: the opposite mistake: the tree reduction without any barrier.
// Fixes: nothing. The warps of a block run at their own pace, so a thread adds what another has not stored
// yet.
// Limit: a race: among thousands of blocks some sums are wrong, others in every run. A block of 32 threads is
// a single warp, which usually gets away with it.
#include "reduce/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::barrier {
namespace {

__global__ void sum_without_barriers(const int* x, std::int64_t n, int* partials) {
  __shared__ int sums[1024];
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  sums[t] = i < n ? x[i] : 0;
  // a barrier is missing here
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    // and here
  }
  if (t == 0) partials[blockIdx.x] = sums[0];
}

}  // namespace

void barrier_missing(reduce::Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(sum_without_barriers, blocks, bench.block(), 0, bench.x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::barrier
