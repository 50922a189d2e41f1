// The one rounding at the end of a rule.
#pragma once

#include <cstdint>

#include "foldline/accumulator.hpp"

namespace foldline::quadrature {

/// (b - a) * sum / divisor, rounded once, of an accumulator for `sum` or `dot`; 0 < divisor <= 2^53. Bits of
/// a dot product below 2^-1074 are dropped. If the sum is NaN or infinite, or a dot product beyond a double,
/// so is the result.
double scaled(const Accumulator& sum, double a, double b, std::int64_t divisor);

/// total -= sum, accumulators for `dot` (total) and for `sum` or `dot`; bits below 2^-1074 are dropped.
void subtract(Accumulator& total, const Accumulator& sum);

}  // namespace foldline::quadrature
