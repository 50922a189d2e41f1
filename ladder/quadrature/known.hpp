// What mathematics knows of the integrands: their integrals, and bounds of the rules' errors.
#pragma once

#include <cstdint>

#include "quadrature/bench.hpp"

namespace foldline::ladder::quadrature {

/// "reciprocal", "root" or "damped"
const char* name_of(Integrand integrand);

/// "4 / (1 + x^2)", ...
const char* formula_of(Integrand integrand);

/// From 0 to 1, with all digits of a long double.
long double integral_of(Integrand integrand);

/// How far the rule with n intervals may be off if nothing is rounded.
long double error_of_rule(Integrand integrand, Rule rule, std::int64_t n);

/// How much more that may be for the function that a texture makes of a table of so many intervals.
long double error_of_table(Integrand integrand, int intervals);

}  // namespace foldline::ladder::quadrature
