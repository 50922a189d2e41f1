// Results in integer types.
#pragma once

#include "contract/moments.hpp"
#include "foldline/context.hpp"
#include "foldline/scalar.hpp"

namespace foldline {

/// The sum of x, |x| or x y, the minimum, the maximum or the range in an integer type: exact, or an error.
/// Throws InvalidArgument if it is not a whole number, or an extremum of an empty vector; OverflowError if it
/// is NaN, infinite or, unless `overflow` says to wrap, does not fit.
Scalar integer_result(const Moments& moments, Operation operation, ElementType type, Overflow overflow);

}  // namespace foldline
