// Idea: the mistake that hangs today, too: half of the block comes to the barrier, and the other half waits
// for a word that thread 0 writes after it.
// Fixes: nothing. A barrier waits for all threads that have not exited: these have not, and never will.
// Limit: it hangs on every GPU, so it runs in a process of its own, which is ended after five seconds.
#include "reduce/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::barrier {
namespace {

__global__ void sum_behind_half_a_barrier(const int* x, std::int64_t n, int* partials) {
  __shared__ int sums[1024];
  __shared__ volatile bool finished;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  sums[t] = i < n ? x[i] : 0;
  if (t == 0) finished = false;
  __syncthreads();
  if (t < blockDim.x / 2) {
    sums[t] += sums[t + blockDim.x / 2];
    __syncthreads();  // wrong here
    if (t == 0) {
      for (int k = 1; k < blockDim.x / 2; ++k) sums[0] += sums[k];
      partials[blockIdx.x] = sums[0];
      finished = true;
    }
  } else {
    while (!finished) {
    }
  }
}

}  // namespace

void barrier_that_hangs(reduce::Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(sum_behind_half_a_barrier, blocks, bench.block(), 0, bench.x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::barrier
