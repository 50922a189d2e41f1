// From moments to results: the last, and only rounding, step of every operation.
#pragma once

#include <string>

#include "contract/moments.hpp"

namespace foldline {

/// The result of `operation`, rounded once to `type`; an integer type (validate_result_type) is exact or an
/// error. The moments hold what needs_of(operation) asks for. The extrema of nothing are NaN, and an error in
/// an integer type.
Scalar rounded_result(const Moments& moments, Operation operation, ElementType type, std::int64_t ddof,
                      Overflow overflow);

/// The largest element minus the smallest one, exactly; NaN if there is none.
ExactSum<SumLimbs> range_of(const Moments& moments);

/// Every digit of the result before rounding; see Accumulator::exact.
std::string exact_result(const Moments& moments, Operation operation, std::int64_t ddof);

}  // namespace foldline
