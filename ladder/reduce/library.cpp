// Idea: foldline::async::sum on the same device memory: one call, any type, any stride.
// Fixes: no kernel to write; the same call gives correctly rounded sums of floating-point numbers
// (docs/gpu.md).
// Limit: memory bandwidth; for few elements, the launch and the combination of blocks.
#include "common/library_context.hpp"
#include "reduce/bench.hpp"

namespace foldline::ladder::reduce {

void library(Bench& bench) {
  async::sum(VectorView(bench.x(), bench.n()), bench.total(), library_queue(), library_context);
}

}  // namespace foldline::ladder::reduce
