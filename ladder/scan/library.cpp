// Idea: foldline::async::inclusive_scan on the same device memory.
// Fixes: any type and layout; floating-point prefix sums are each correctly rounded. Overflow can be
// reported; here integers wrap as in the other rungs.
// Limit: the speed of a copy.
#include "common/library_context.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void library(Bench& bench) {
  async::inclusive_scan(VectorView(bench.x(), bench.n()), MutableVectorView(bench.out(), bench.n()),
                        library_queue(), library_context);
}

}  // namespace foldline::ladder::scan
