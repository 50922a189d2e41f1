// Idea: the same on a copy with 64 bits an element.
// Fixes: it holds the sum of any number of ints, and the input survives.
// Limit: one core. The copy takes longer than all log2(n) passes, of which the first alone reads the whole
// vector and writes half of it.
#include <vector>

#include "reduce/bench.hpp"

namespace foldline::ladder::reduce {
namespace {

std::int64_t sum_in_place(std::vector<std::int64_t>& x, std::size_t size) {
  if (size == 0) return 0;
  if (size == 1) return x[0];
  const std::size_t half = (size + 1) / 2;  // with an odd size, the middle element stays
  for (std::size_t i = half; i < size; ++i) x[i - half] += x[i];
  return sum_in_place(x, half);
}

}  // namespace

void recursive_pairwise(Bench& bench) {
  std::vector<std::int64_t> x(bench.host_x(), bench.host_x() + bench.n());
  bench.set_total(sum_in_place(x, x.size()));
}

}  // namespace foldline::ladder::reduce
