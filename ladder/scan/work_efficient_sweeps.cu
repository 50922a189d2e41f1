// Idea: Blelloch's two sweeps over a tree in shared memory: upwards each node becomes the sum of its
// children; downwards each node passes the sum before it to its left child, and that plus the left child's
// sum to its right child. The blocks' totals are scanned the same way, and added.
// Fixes: about 2n additions rather than n log2(block): the work is O(n), as on one core, where Hillis and
// Steele's is O(n log n). Three kernels, or five for more than 2 block^2 elements.
// Limit: twice as many steps, each with a barrier; elements are read twice and written twice; towards the
// root ever fewer threads work, and their power-of-two strides cause bank conflicts in shared memory.
#include "runner/launch.cuh"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {
namespace {

/// A block scans 2 blockDim.x elements, and stores their sum.
__global__ void sweep(const int* x, std::int64_t n, int* out, int* totals) {
  extern __shared__ int tree[];
  const int size = 2 * blockDim.x, t = threadIdx.x, u = t + blockDim.x;
  const std::int64_t first = std::int64_t{blockIdx.x} * size;
  const int x_t = tree[t] = first + t < n ? x[first + t] : 0;
  const int x_u = tree[u] = first + u < n ? x[first + u] : 0;
  for (int s = 1; s < size; s *= 2) {
    __syncthreads();
    const int right = 2 * s * (t + 1) - 1;
    if (right < size) tree[right] += tree[right - s];
  }
  __syncthreads();
  if (t == 0) {
    totals[blockIdx.x] = tree[size - 1];
    tree[size - 1] = 0;
  }
  for (int s = size / 2; s > 0; s /= 2) {
    __syncthreads();
    const int right = 2 * s * (t + 1) - 1;
    if (right < size) {
      const int left_sum = tree[right - s];
      tree[right - s] = tree[right];
      tree[right] += left_sum;
    }
  }
  __syncthreads();
  if (first + t < n) out[first + t] = tree[t] + x_t;  // the tree holds exclusive sums
  if (first + u < n) out[first + u] = tree[u] + x_u;
}

/// totals: inclusive sums of whole parts.
__global__ void add_total_before(int* out, std::int64_t n, const int* totals) {
  const std::int64_t first = (std::int64_t{blockIdx.x} + 1) * 2 * blockDim.x;
  for (int k = 0; k < 2; ++k) {
    const std::int64_t i = first + k * blockDim.x + threadIdx.x;
    if (i < n) out[i] += totals[blockIdx.x];
  }
}

void scan_level(const int* x, std::int64_t n, int* out, int block, int* totals) {
  const std::int64_t parts = blocks_for(n, 2 * block);
  launch(sweep, parts, block, 2 * block * sizeof(int), x, n, out, totals);
  if (parts <= 1) return;
  scan_level(totals, parts, totals, block, totals + parts);
  launch(add_total_before, parts - 1, block, 0, out, n, totals);
}

}  // namespace

void work_efficient_sweeps(Bench& bench) {
  // Each level has at most a 64th of the totals of the one before, and at least one.
  const std::int64_t totals = 2 * blocks_for(bench.n(), 2 * bench.block()) + 8;
  scan_level(bench.x(), bench.n(), bench.out(), bench.block(),
             static_cast<int*>(bench.scratch(totals * sizeof(int))));
}

}  // namespace foldline::ladder::scan
