// Quadrature with ordinary sums, for comparison.
#pragma once

#include <cstdint>
#include <foldline/quadrature.hpp>

#include "expression.hpp"

namespace foldline::cli {

/// A rule as textbooks program it: the same nodes, but samples times weights are added one after another,
/// with a rounding each. Throws Error if an end is infinite.
double by_plain_sums(const Expression& f, double a, double b, Rule rule, std::int64_t n);

}  // namespace foldline::cli
