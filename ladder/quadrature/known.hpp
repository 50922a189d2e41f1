// Known integrals of the functions, and bounds of the rules' errors.
#pragma once

#include <cstdint>

#include "quadrature/bench.hpp"

namespace foldline::ladder::quadrature {

/// "reciprocal", "root" or "damped"
const char* name_of(Integrand integrand);

/// "4 / (1 + x^2)", ...
const char* formula_of(Integrand integrand);

/// From 0 to 1, to the precision of long double.
long double integral_of(Integrand integrand);

/// A bound of the error of the rule with n intervals, without roundings.
long double error_of_rule(Integrand integrand, Rule rule, std::int64_t n);

/// The additional error for a texture's interpolation in a table of so many intervals.
long double error_of_table(Integrand integrand, int intervals);

}  // namespace foldline::ladder::quadrature
