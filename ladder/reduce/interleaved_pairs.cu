// Idea: add the second half of the block's part to the first half, then halve again: thread t adds element t
// + s, with s from half the block size down.
// Fixes: neighbouring threads access neighbouring elements, so a warp's load is four contiguous sectors.
// Limit: half of the threads never add anything; log2(block) trips to memory with a barrier after each. On
// the textbook's GPU this was 1.34 times as fast as the rung before; on an H200, 1.15: 3.2 sectors per load
// rather than 12.5, but the L1 cache held those, and barriers and instructions are the same.
#include "reduce/bench.hpp"
#include "reduce/part.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::reduce {
namespace {

__global__ void add_interleaved_pairs(int* x, std::int64_t n, int* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x;
  const int count = part_size(n, first, blockDim.x), t = threadIdx.x;
  int* const part = x + first;
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s && t + s < count) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = part[0];
}

}  // namespace

void interleaved_pairs(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(add_interleaved_pairs, blocks, bench.block(), 0, bench.destroyed_x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
