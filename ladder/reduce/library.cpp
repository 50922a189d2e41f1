// Idea: foldline::async::sum on the same device memory: one call, any type, any stride.
// Fixes: no kernel to write; floating-point numbers come out correctly rounded by the same call
// (docs/gpu.md).
// Limit: the speed of memory; for few elements one kernel and its blocks' way to a common result.
#include "common/library_context.hpp"
#include "reduce/bench.hpp"

namespace foldline::ladder::reduce {

void library(Bench& bench) { async::sum(VectorView(bench.x(), bench.n()), bench.total(), library_context()); }

}  // namespace foldline::ladder::reduce
