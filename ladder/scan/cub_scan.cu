// Idea: the vendor's routine beside the ladder: cub::DeviceScan::InclusiveSum.
// Fixes: it is no rung.
// Limit: memory; it is a decoupled look-back, too.
#include <cub/device/device_scan.cuh>

#include "runner/here.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void cub_scan(Bench& bench) {
  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    check(cub::DeviceScan::InclusiveSum(scratch, bytes, bench.x(), bench.out(), bench.n()),
          "cub::DeviceScan::InclusiveSum");
  };
  scan(nullptr);  // only says how many bytes it needs
  scan(bench.scratch(bytes));
}

}  // namespace foldline::ladder::scan
