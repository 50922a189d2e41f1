// Idea: lanes read each other's registers: five shuffles sum a warp, the warps' sums go through shared memory
// once, and five more shuffles sum those (common/block_sum.cuh).
// Fixes: no step goes through global memory, there is one barrier rather than five or more, and the input is
// not destroyed.
// Limit: a thread of a block does only eight loads of 4 bytes: the start and end of blocks matter, and too
// few bytes are in flight.
#include "common/block_sum.cuh"
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

__global__ void add_with_shuffles(const int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * 8;
  const int count = part_size(n, first, blockDim.x * 8);
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = threadIdx.x + k * blockDim.x;
    if (i < count) sum += x[first + i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

void warp_shuffles(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block() * 8);
  launch(add_with_shuffles, blocks, bench.block(), 0, bench.x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
