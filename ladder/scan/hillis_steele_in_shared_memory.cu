// Idea: the warp's steps over a whole block, in shared memory: in step d = 1, 2, 4, ... every element from d
// on adds the one d before it (Hillis and Steele 1986). Each step reads one buffer and writes another. The
// blocks' totals are scanned the same way, and added.
// Fixes: log2(block) steps, half as many as the rung below, all threads work in each, and no block waits for
// another.
// Limit: n log2(block) additions, 9 per element in blocks of 512, where n would do: O(n log n) against the
// O(n) of the rung below. Each goes through shared memory, with a barrier after each step.
#include "runner/launch.cuh"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {
namespace {

/// A block scans blockDim.x elements, and stores their sum.
__global__ void scan_in_steps(const int* x, std::int64_t n, int* out, int* totals) {
  extern __shared__ int buffers[];
  const int t = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + t;
  int *from = buffers, *to = buffers + blockDim.x;
  from[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    to[t] = t < distance ? from[t] : from[t] + from[t - distance];
    __syncthreads();
    int* const written = to;
    to = from;
    from = written;
  }
  if (i < n) out[i] = from[t];
  if (t == blockDim.x - 1) totals[blockIdx.x] = from[t];
}

/// totals: inclusive sums of whole parts.
__global__ void add_total_of_parts_before(int* out, std::int64_t n, const int* totals) {
  const std::int64_t i = (std::int64_t{blockIdx.x} + 1) * blockDim.x + threadIdx.x;
  if (i < n) out[i] += totals[blockIdx.x];
}

void scan_level(const int* x, std::int64_t n, int* out, int block, int* totals) {
  const std::int64_t parts = blocks_for(n, block);
  launch(scan_in_steps, parts, block, 2 * block * sizeof(int), x, n, out, totals);
  if (parts <= 1) return;
  scan_level(totals, parts, totals, block, totals + parts);
  launch(add_total_of_parts_before, parts - 1, block, 0, out, n, totals);
}

}  // namespace

void hillis_steele_in_shared_memory(Bench& bench) {
  // Each level has at most a 32nd of the totals of the one before, and at least one.
  const std::int64_t totals = 2 * blocks_for(bench.n(), bench.block()) + 8;
  scan_level(bench.x(), bench.n(), bench.out(), bench.block(),
             static_cast<int*>(bench.scratch(totals * sizeof(int))));
}

}  // namespace foldline::ladder::scan
