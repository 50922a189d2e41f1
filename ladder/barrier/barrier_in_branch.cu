// Idea: a common mistake: the tree reduction with its barrier inside the if, so that only the threads that
// add reach it.
// Fixes: nothing. The rule is that either all threads of a block reach a barrier or none. Since Volta a
// barrier waits only for threads that have not exited, so the block continues once the others have finished:
// what textbooks call a deadlock usually terminates today, possibly with a wrong sum. The rung reports what
// happens.
// Limit: undefined behaviour: another GPU, compiler or size may hang. It runs in a process of its own under a
// time limit.
#include "reduce/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::barrier {
namespace {

__global__ void sum_with_barrier_in_branch(const int* x, std::int64_t n, int* partials) {
  __shared__ int sums[1024];
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int t = threadIdx.x;
  sums[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) {
      sums[t] += sums[t + s];
      __syncthreads();  // wrong here
    }
  }
  if (t == 0) partials[blockIdx.x] = sums[0];
}

}  // namespace

void barrier_in_branch(reduce::Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(sum_with_barrier_in_branch, blocks, bench.block(), 0, bench.x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::barrier
