#include "quadrature/known.hpp"

#include <cmath>

namespace foldline::ladder::quadrature {
namespace {

struct Known {
  const char *name, *formula;
  long double integral;
  /// The largest magnitudes of the second and fourth derivatives, at 0; the root has none.
  long double second, fourth;
};

Known known(Integrand integrand) {
  switch (integrand) {
    case Integrand::reciprocal:
      break;
    case Integrand::root:
      return {"root", "sqrt(x)", 2 / 3.0L, 0, 0};
    case Integrand::damped:
      return {"damped", "x exp(-x)", 1 - 2 * std::exp(-1.0L), 2, 4};
  }
  return {"reciprocal", "4 / (1 + x^2)", 3.14159265358979323846264L, 8, 96};
}

}  // namespace

const char* name_of(Integrand integrand) { return known(integrand).name; }

const char* formula_of(Integrand integrand) { return known(integrand).formula; }

long double integral_of(Integrand integrand) { return known(integrand).integral; }

/// Midpoint h^2 max|f''| / 24, trapezoid h^2 max|f''| / 12, Simpson h^4 max|f''''| / 180. For the root the
/// errors come from its first intervals, and are about 0.061, 0.208 and 0.081 times h^(3/2), by the Riemann
/// zeta function at -1/2.
long double error_of_rule(Integrand integrand, Rule rule, std::int64_t n) {
  const long double h = 1 / static_cast<long double>(n);
  const Known of = known(integrand);
  if (integrand == Integrand::root) return std::pow(h, 1.5L) / 4;
  if (rule == Rule::simpson) return h * h * h * h * of.fourth / 180;
  return h * h * of.second / (rule == Rule::midpoint ? 24 : 12);
}

/// Linear interpolation is off by at most h^2 max|f''| / 8, for the root by at most h^(3/2) on average. The
/// position between samples has 8 bits, an error of 2^-8 h; 5 is more than the functions' total variation
/// from 0 to 1.
long double error_of_table(Integrand integrand, int intervals) {
  const long double h = 1 / static_cast<long double>(intervals);
  const long double of_lines =
      integrand == Integrand::root ? std::pow(h, 1.5L) : h * h * known(integrand).second / 8;
  return of_lines + 5 * h / 256;
}

}  // namespace foldline::ladder::quadrature
