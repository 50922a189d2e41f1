// The one rounding at the end of a rule.
#pragma once

#include <cstdint>

#include "foldline/accumulator.hpp"

namespace foldline::quadrature {

/// (b - a) * sum / divisor, rounded once, of an accumulator for `sum` or `dot`; 0 < divisor <= 2^53. Of a dot
/// product what lies below 2^-1074 is left out. If the sum is NaN, infinite or more than a double holds, so
/// is the result.
double scaled(const Accumulator& sum, double a, double b, std::int64_t divisor);

/// total -= sum, both accumulators for `dot` (total) and `sum` or `dot`; to the same 2^-1074.
void subtract(Accumulator& total, const Accumulator& sum);

}  // namespace foldline::quadrature
