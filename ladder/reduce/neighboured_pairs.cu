// Idea: a block adds its elements in place, neighbours first: in step s, thread t adds element t + s to
// element t if 2s divides t.
// Fixes: it runs on the GPU, 512 elements per block in parallel.
// Limit: one thread in 2s works, so every warp takes every branch with few active lanes (divergence); every
// step goes through global memory; % is slow. Counters on an H200: 356 instructions per warp, 31% of the
// branches diverge, and three of four issue slots are used: it is limited by instructions.
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

__global__ void add_neighboured_pairs(int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x;
  const int count = part_size(n, first, blockDim.x), t = threadIdx.x;
  int* const part = x + first;
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0 && t + s < count) part[t] += part[t + s];
    __syncthreads();  // outside the if, and no thread has returned: all threads of the block must reach it
  }
  if (t == 0) partials[blockIdx.x] = part[0];
}

}  // namespace

void neighboured_pairs(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(add_neighboured_pairs, blocks, bench.block(), 0, bench.destroyed_x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
