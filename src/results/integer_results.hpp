// Results in integer types.
#pragma once

#include "contract/moments.hpp"

namespace foldline {

/// The sum of x, |x| or x y, or the minimum or maximum, in an integer type: exact, or an error.
/// Throws InvalidArgument if it is not a whole number, or the extremum of nothing; OverflowError if it is
/// NaN, infinite or, unless `overflow` says to wrap, does not fit.
Scalar integer_result(const Moments& moments, Operation operation, ElementType type, Overflow overflow);

}  // namespace foldline
