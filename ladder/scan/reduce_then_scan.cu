// Idea: three kernels: as many blocks as are resident each sum a slice; one block scans their sums; each
// block scans its slice from the sum before it.
// Fixes: elements are read twice but written once, and the number of parts does not grow with n.
// Limit: the second read, unless the slices are still in the L2 cache; and blocks proceed through their
// slices with a few barriers per 1024 elements, during which they load nothing.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "scan/bench.hpp"
#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {
namespace {

__device__ std::int64_t first_of(std::int64_t n, std::int64_t slice) { return n * slice / gridDim.x; }

__global__ void add_slices(const int* x, std::int64_t n, int* sums) {
  int sum = 0;
  for (std::int64_t i = first_of(n, blockIdx.x) + threadIdx.x; i < first_of(n, blockIdx.x + 1);
       i += blockDim.x)
    sum += x[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void scan_sums(int* sums, std::int64_t slices) { scan_part(sums, sums, 0, slices, 0); }

__global__ void scan_slices(const int* x, std::int64_t n, const int* sums, int* out) {
  scan_part(x, out, first_of(n, blockIdx.x), first_of(n, blockIdx.x + 1),
            blockIdx.x == 0 ? 0 : sums[blockIdx.x - 1]);
}

}  // namespace

void reduce_then_scan(Bench& bench) {
  const std::int64_t n = bench.n(), slices = resident_blocks(n, bench.block());
  int* const sums = static_cast<int*>(bench.scratch(slices * sizeof(int)));
  launch(add_slices, slices, bench.block(), 0, bench.x(), n, sums);
  launch(scan_sums, slices == 0 ? 0 : 1, 1024, 0, sums, slices);
  launch(scan_slices, slices, bench.block(), 0, bench.x(), n, sums, bench.out());
}

}  // namespace foldline::ladder::scan
