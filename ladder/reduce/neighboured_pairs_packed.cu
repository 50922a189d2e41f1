// Idea: the same pairs with another assignment: in step s, thread t adds the pair at 2st. The first threads
// work, the others are idle.
// Fixes: whole warps work or idle, so warps diverge only in the last five steps; no %.
// Limit: neighbouring threads access elements 2s apart, so a warp's load covers up to 32 sectors. Counters on
// an H200: 12.5 sectors per load, but 87% of them hit the L1 cache, and each byte comes from memory once. 128
// instructions per warp; warps wait for the barrier after each of nine steps.
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

__global__ void add_neighboured_pairs_packed(int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x;
  const int count = part_size(n, first, blockDim.x), t = threadIdx.x;
  int* const part = x + first;
  for (int s = 1; s < blockDim.x; s *= 2) {
    const int i = 2 * s * t;
    if (i + s < count) part[i] += part[i + s];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = part[0];
}

}  // namespace

void neighboured_pairs_packed(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(add_neighboured_pairs_packed, blocks, bench.block(), 0, bench.destroyed_x(), n,
         bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
