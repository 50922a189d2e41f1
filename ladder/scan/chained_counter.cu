// Idea: each block scans its part, waits until the block before has passed on the sum of all before, passes
// it on with its own total, and adds it to its part.
// Fixes: all multiprocessors work, and elements are read and written once. The text's version can wait for
// ever: it takes block b for part b, but blocks may start in any order, and those that run may all be
// waiting for one that finds no room. Here a block takes its part by an atomic ticket, so the part before it
// is always running. The text also has no fence between the sum and the counter, so a block can see the
// counter and an old sum; and it scans nothing behind the last whole block.
// Limit: the chain: part after part, each hand-over takes a trip to the L2 cache and back, however many
// multiprocessors there are. On an H200 2^24 ints take 32768 of 1.6 us, twice the time of one block alone.
#include "runner/here.hpp"
#include "runner/launch.cuh"
#include "scan/bench.hpp"
#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {
namespace {

struct Chain {
  unsigned tickets, finished;
  int sum;  // of all parts that are finished
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
    __threadfence();  // the sum must be seen by whoever sees the counter
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
