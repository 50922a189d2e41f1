// Idea: each block scans its part, waits until the block before has published the sum of all parts so far,
// publishes that sum plus its own total, and adds it to its part.
// Fixes: all multiprocessors work, and elements are read and written once. The textbook's version can wait
// forever: block b takes part b, but blocks may start in any order, and all running ones may wait for one
// that is not resident. Here a block takes its part by an atomic ticket, so the part before it is always
// running. The textbook also has no fence between the sum and the counter, so a block can see the counter and
// an old sum; and it scans nothing after the last whole block.
// Limit: the chain: part after part, each takes a round trip to the L2 cache, however many multiprocessors
// there are. On an H200, 2^24 ints take 32768 of these, 1.6 us each, twice the time of a single block.
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "scan/bench.hpp"
#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {
namespace {

struct Chain {
  unsigned tickets, finished;
  int sum;  // of all finished parts
};

__global__ void scan_in_chain(const int* x, std::int64_t n, int* out, Chain* chain) {
  __shared__ unsigned part;
  __shared__ int before;
  if (threadIdx.x == 0) part = atomicAdd(&chain->tickets, 1u);
  __syncthreads();
  const std::int64_t i = std::int64_t{part} * blockDim.x + threadIdx.x;
  int total;
  const int sum = block_scan(i < n ? x[i] : 0, total);
  if (threadIdx.x == 0) {
    while (atomicAdd(&chain->finished, 0u) != part) {
    }
    __threadfence();
    before = __ldcg(&chain->sum);
    chain->sum = before + total;
    __threadfence();  // the sum must be visible before the counter
    atomicAdd(&chain->finished, 1u);
  }
  __syncthreads();
  if (i < n) out[i] = before + sum;
}

}  // namespace

void chained_counter(Bench& bench) {
  const std::int64_t n = bench.n();
  Chain* const chain = static_cast<Chain*>(bench.scratch(sizeof(Chain)));
  clear(chain, sizeof(Chain));
  launch(scan_in_chain, blocks_for(n, bench.block()), bench.block(), 0, bench.x(), n, bench.out(), chain);
}

}  // namespace foldline::ladder::scan
