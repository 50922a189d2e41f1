// Idea: foldline::sum on the same device memory: one call, any type, any stride, the result as a number.
// Fixes: no kernel to write; floating-point numbers come out correctly rounded by the same call
// (docs/gpu.md).
// Limit: the speed of memory. The call returns with the result on the host, so its times by events include
// that.
#include <foldline/operations.hpp>

#include "reduce/bench.hpp"

namespace foldline::ladder::reduce {

void library(Bench& bench) {
  bench.set_total(sum<std::int64_t>(VectorView(bench.x(), bench.n()), {.device = Device::cuda()}));
}

}  // namespace foldline::ladder::reduce
