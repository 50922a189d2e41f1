// From moments to results: the last, and only rounding, step of every operation.
#pragma once

#include <string>

#include "moments.hpp"

namespace foldline {

/// The result of `operation`, rounded once to `type`; the value is exactly one of that type.
/// The moments hold what needs_of(operation) asks for. NaN for the extrema of nothing.
double rounded_result(const Moments& moments, Operation operation, ElementType type, std::int64_t ddof);

/// Every digit of the result before rounding; see Accumulator::exact.
std::string exact_result(const Moments& moments, Operation operation, std::int64_t ddof);

}  // namespace foldline
