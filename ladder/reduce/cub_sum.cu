// Idea: CUB for comparison: cub::DeviceReduce::Sum, ints in, 64 bits out.
// Fixes: not a rung.
// Limit: two kernels.
#include <cub/device/device_reduce.cuh>

#include "reduce/bench.hpp"
#include "runner/device.hpp"

namespace foldline::ladder::reduce {

void cub_sum(Bench& bench) {
  std::size_t bytes = 0;
  const auto sum = [&](void* scratch) {
    check(cub::DeviceReduce::Sum(scratch, bytes, bench.x(), bench.total(), bench.n()),
          "cub::DeviceReduce::Sum");
  };
  sum(nullptr);  // only returns how many bytes it needs
  sum(bench.scratch(bytes));
}

}  // namespace foldline::ladder::reduce
