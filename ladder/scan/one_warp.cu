// Idea: lanes of a warp read each other's registers: in step d = 1, 2, 4, 8, 16 a lane adds the value of the
// lane d before it (warp_scan in scan/block_scan.cuh). One warp proceeds through the vector, 32 elements at a
// time.
// Fixes: five steps for 32 elements rather than 32, without shared memory or barriers. The textbook's
// shuffles have no mask, and no longer compile.
// Limit: five additions per element where one would do. One warp of the GPU, which waits for its 32 elements
// each time.
#include "runner/launch.cuh"
#include "scan/bench.hpp"
#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {
namespace {

__global__ void scan_by_warp(const int* x, std::int64_t n, int* out) {
  int before = 0;
  for (std::int64_t first = 0; first < n; first += 32) {
    const std::int64_t i = first + threadIdx.x;
    const int sum = before + warp_scan(i < n ? x[i] : 0);
    if (i < n) out[i] = sum;
    before = __shfl_sync(0xffffffff, sum, 31);
  }
}

}  // namespace

void one_warp(Bench& bench) { launch(scan_by_warp, 1, 32, 0, bench.x(), bench.n(), bench.out()); }

}  // namespace foldline::ladder::scan
