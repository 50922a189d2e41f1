// Idea: add the elements one by one, and write down every sum.
// Fixes: nothing yet: n additions, the fewest there can be, each of which needs the one before.
// Limit: one core; the text's kernels make 5 additions an element to have them side by side.
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

void serial(Bench& bench) {
  const int* const x = bench.host_x();
  int* const out = bench.host_out();
  int sum = 0;
  for (std::int64_t i = 0; i < bench.n(); ++i) out[i] = sum += x[i];
}

}  // namespace foldline::ladder::scan
