// Idea: a thread first sums 2, 4 or 8 elements, a block apart; only then the block adds pairs.
// Fixes: every thread adds something, its loads do not wait for each other, and the pairs cost a half to an
// eighth as much per element.
// Limit: the pairs: log2(block) steps in global memory with a barrier after each; in the last five one warp
// works and the others only wait.
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

template <int Unrolled>
__global__ void add_unrolled_blocks(int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * Unrolled;
  const int count = part_size(n, first, blockDim.x * Unrolled), t = threadIdx.x;
  int* const part = x + first;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < Unrolled; ++k) {
    const int i = t + k * blockDim.x;
    if (i < count) sum += part[i];
  }
  if (t < count) part[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s && t + s < count) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = part[0];
}

template <int Unrolled>
void unrolled(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block() * Unrolled);
  launch(add_unrolled_blocks<Unrolled>, blocks, bench.block(), 0, bench.destroyed_x(), n,
         bench.partials(blocks));
}

}  // namespace

void unrolled_by_2(Bench& bench) { unrolled<2>(bench); }
void unrolled_by_4(Bench& bench) { unrolled<4>(bench); }
void unrolled_by_8(Bench& bench) { unrolled<8>(bench); }

}  // namespace foldline::ladder::reduce
