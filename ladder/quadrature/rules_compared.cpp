// Idea: the three rules with 4, 16, ... 2^20 intervals, by the library's exact sums, so that what is left is
// the rules' own error and the function's roundings.
// Fixes: it is no rung: it shows how fast the errors fall.
// Limit: half a unit in the last place, or nearly: Simpson's rule is there with 256 intervals of 4 / (1 +
// x^2), and with 4096 of x exp(-x).
#include <foldline/quadrature.hpp>
#include <type_traits>

#include "quadrature/bench.hpp"
#include "runner/here.hpp"

namespace foldline::ladder::quadrature {

template <class T>
void rules_compared(Bench<T>& bench) {
  if constexpr (std::is_same_v<T, float>) {
    not_here("rules are compared in doubles; bits of a float:", 24);
  } else {
    with(bench.integrand(), [&](auto f) {
      for (std::int64_t n = 4; n <= 1 << 20; n *= 4) {
        bench.add_result(integrate(f, 0, 1, foldline::Rule::midpoint(), n).value, Rule::midpoint, n);
        bench.add_result(integrate(f, 0, 1, foldline::Rule::trapezoid(), n).value, Rule::trapezoid, n);
        bench.add_result(integrate(f, 0, 1, foldline::Rule::simpson(), n).value, Rule::simpson, n);
      }
    });
  }
}

template void rules_compared(Bench<float>&);
template void rules_compared(Bench<double>&);

}  // namespace foldline::ladder::quadrature
