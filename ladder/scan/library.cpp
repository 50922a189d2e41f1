// Idea: foldline::inclusive_scan on the same device memory.
// Fixes: any type and layout; an overflow would be an error, not a wrong number; floating-point prefix sums
// are correctly rounded, each.
// Limit: the speed of a copy. The call returns when the result is there, so its times by events include that.
#include <foldline/scan.hpp>

#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void library(Bench& bench) {
  inclusive_scan(VectorView(bench.x(), bench.n()), MutableVectorView(bench.out(), bench.n()),
                 {.device = Device::cuda()});
}

}  // namespace foldline::ladder::scan
