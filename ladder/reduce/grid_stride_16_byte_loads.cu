// Idea: launch as many blocks as are resident at once, and let each thread proceed through the input with
// grid stride, 16 bytes per load (reduce/thread_sum.cuh).
// Fixes: blocks start and end once, a quarter as many instructions load the same bytes, and there are about a
// thousand partial sums for any n.
// Limit: the partial sums go to the host, which waits, copies and adds: most of the time for a short vector.
// On an H200 it is 3% slower than the rung before for 2^24 ints: of 15.5 loads per warp, three times four are
// issued together and the others wait for each other. For 2^28 both reach the memory bandwidth.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "reduce/bench.hpp"
#include "reduce/thread_sum.cuh"

namespace foldline::ladder::reduce {
namespace {

__global__ void add_with_grid_stride(const int* x, std::int64_t n, int* partials) {
  const int sum = block_sum(thread_sum(x, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

void grid_stride_16_byte_loads(Bench& bench) {
  const std::int64_t n = bench.n(), blocks = resident_blocks(blocks_for(n, 4), bench.block());
  launch(add_with_grid_stride, blocks, bench.block(), 0, bench.x(), n, bench.partials(blocks));
}

}  // namespace foldline::ladder::reduce
