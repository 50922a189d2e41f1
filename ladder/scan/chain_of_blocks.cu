// Idea: the textbook's chain, a mistake: block b scans part b, waits until a counter says that block b - 1 is
// done, adds the last of its sums, and counts. As GPUs start blocks, from the first on; and from the last on,
// an order as good as any other.
// Fixes: nothing. From the last on, the first blocks to run wait for one that gets no place before they end:
// the kernel hangs as soon as there are more blocks than fit on the GPU, and is ended after five seconds. In
// the usual order it ends, but nothing promises that order; and without a fence between sums and counter, a
// block may see the counter and an old sum.
// Limit: undefined behaviour: another GPU may start blocks in another order. The rung chained-counter cures
// both.
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "scan/bench.hpp"
#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {
namespace {

template <bool FromTheLast>
__global__ void scan_in_chain_of_blocks(const int* x, std::int64_t n, int* out, unsigned* finished) {
  const unsigned part = FromTheLast ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const std::int64_t first = std::int64_t{part} * blockDim.x, i = first + threadIdx.x;
  int total;
  const int sum = block_scan(i < n ? x[i] : 0, total);
  if (threadIdx.x == 0) {
    while (atomicAdd(finished, 0u) != part) {
    }
  }
  __syncthreads();
  const int before = part == 0 ? 0 : out[first - 1];
  if (i < n) out[i] = before + sum;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(finished, 1u);
}

template <bool FromTheLast>
void chain(Bench& bench) {
  const std::int64_t n = bench.n();
  unsigned* const finished = static_cast<unsigned*>(bench.scratch(sizeof(unsigned)));
  clear(finished, sizeof(unsigned));
  launch(scan_in_chain_of_blocks<FromTheLast>, blocks_for(n, bench.block()), bench.block(), 0, bench.x(), n,
         bench.out(), finished);
}

}  // namespace

void chain_of_blocks(Bench& bench) { chain<false>(bench); }
void chain_from_the_last_block(Bench& bench) { chain<true>(bench); }

}  // namespace foldline::ladder::scan
