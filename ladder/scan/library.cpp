// Idea: foldline::inclusive_scan on the same device memory.
// Fixes: any type and layout; an overflow would be an error, not a wrong number; floating-point prefix sums
// are correctly rounded, each.
// Limit: the call returns when the result is there, so its times by events include that.
#include <foldline/scan.hpp>

#include "runner/problem.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void library(Bench& bench) {
  try {
    inclusive_scan(VectorView(bench.x(), bench.n()), MutableVectorView(bench.out(), bench.n()),
                   {.device = Device::cuda()});
  } catch (const InvalidArgument& error) {
    throw NotHere(std::string("not on the GPU yet: ") + error.what());
  }
}

}  // namespace foldline::ladder::scan
