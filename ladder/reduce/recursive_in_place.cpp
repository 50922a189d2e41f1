// Idea: the textbook's loop on the host: add the second half of the ints to the first in place, element by
// element, and do the same with that half until one is left.
// Fixes: nothing yet; the kernels below are compared with it, and *x first* in the table is the ratio to its
// time. The textbook's half of an odd size leaves an element out; here the one in the middle stays.
// Limit: one core, and sums in int: 2^24 elements below 256 just fit. It destroys its input.
#include "reduce/bench.hpp"
#include "runner/errors.hpp"

namespace foldline::ladder::reduce {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 24;

int sum_in_place(int* x, std::int64_t size) {
  if (size == 1) return x[0];
  const std::int64_t half = (size + 1) / 2;
  for (std::int64_t i = half; i < size; ++i) x[i - half] += x[i];
  return sum_in_place(x, half);
}

}  // namespace

void recursive_in_place(Bench& bench) {
  const std::int64_t n = bench.n();
  if (n > max_elements) unsupported("an int holds the sum of how many such elements:", max_elements);
  int* const x = bench.destroyed_host_x();
  bench.set_total(n == 0 ? 0 : sum_in_place(x, n));
}

}  // namespace foldline::ladder::reduce
