// Idea: add the elements one by one, and store every sum.
// Fixes: nothing yet: n additions, the fewest possible, each of which depends on the one before.
// Limit: one core; the textbook's kernels take 5 additions per element to do them in parallel.
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void serial(Bench& bench) {
  const int* const x = bench.host_x();
  int* const out = bench.host_out();
  int sum = 0;
  for (std::int64_t i = 0; i < bench.n(); ++i) out[i] = sum += x[i];
}

}  // namespace foldline::ladder::scan
