// Idea: CUB for comparison: cub::DeviceScan::InclusiveSum.
// Fixes: not a rung.
// Limit: memory bandwidth; it uses decoupled look-back, too.
#include <cub/device/device_scan.cuh>

#include "runner/errors.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void cub_scan(Bench& bench) {
  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    check(cub::DeviceScan::InclusiveSum(scratch, bytes, bench.x(), bench.out(), bench.n()),
          "cub::DeviceScan::InclusiveSum");
  };
  scan(nullptr);  // only returns how many bytes it needs
  scan(bench.scratch(bytes));
}

}  // namespace foldline::ladder::scan
