// Idea: every warp scans its 32 elements and stores its total in shared memory; the first warp scans the
// totals; each warp adds the total before it (block_scan in scan/block_scan.cuh). One block proceeds through
// the vector.
// Fixes: up to 32 warps work in parallel; two barriers per 1024 elements.
// Limit: one multiprocessor of the GPU.
#include "runner/launch.cuh"
#include "scan/bench.hpp"
#include "scan/block_scan.cuh"

namespace foldline::ladder::scan {
namespace {

__global__ void scan_by_block(const int* x, std::int64_t n, int* out) { scan_part(x, out, 0, n, 0); }

}  // namespace

void one_block(Bench& bench) {
  launch(scan_by_block, 1, bench.block(), 0, bench.x(), bench.n(), bench.out());
}

}  // namespace foldline::ladder::scan
