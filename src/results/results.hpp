// From moments to results: the last step of every operation, and the only one that rounds.
#pragma once

#include <string>

#include "contract/moments.hpp"
#include "foldline/context.hpp"
#include "foldline/scalar.hpp"

namespace foldline {

/// The result of `operation`, rounded once to `type`; in an integer type (validate_result_type) it is exact
/// or an error. The moments must hold what needs_of(operation) asks for. Extrema of an empty vector are NaN,
/// in an integer type an error.
Scalar rounded_result(const Moments& moments, Operation operation, ElementType type, std::int64_t ddof,
                      Overflow overflow);

/// Every digit of the result before rounding; see Accumulator::exact.
std::string exact_result(const Moments& moments, Operation operation, std::int64_t ddof);

}  // namespace foldline
