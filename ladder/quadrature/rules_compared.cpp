// Idea: the three rules with 4, 16, ... 2^20 intervals and the library's exact sums, so that only the rules'
// own errors and the function's roundings remain.
// Fixes: not a rung: it shows how fast the errors fall.
// Limit: about half a unit in the last place, which Simpson's rule reaches with 256 intervals for 4 / (1 +
// x^2), and with 4096 for x exp(-x).
#include <foldline/quadrature.hpp>
#include <type_traits>

#include "quadrature/bench.hpp"
#include "runner/errors.hpp"

namespace foldline::ladder::quadrature {

template <class T>
void rules_compared(Bench<T>& bench) {
  if constexpr (std::is_same_v<T, float>) {
    unsupported("rules are compared in doubles; bits of a float:", 24);
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
