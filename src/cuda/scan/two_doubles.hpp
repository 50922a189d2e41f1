// A running sum as two doubles, exact or known not to be.
#pragma once

#include "arithmetic/floating_point.hpp"
#include "arithmetic/one_lane.hpp"

namespace foldline::cuda {

/// The number high - rest. A sum of -0 alone stays -0: the rest is subtracted so that it is +0 then.
struct TwoDoubles {
  double high = -0.0, rest = 0.0;

  /// Adds x (TwoSum, Knuth). False if this number is no longer the sum: what two doubles cannot hold is lost,
  /// or x or the sum is not finite.
  FOLDLINE_HOST_DEVICE bool add(double x) {
    using one_lane::Add, one_lane::Sub;
    const double sum = Add(high, x), x_taken = Sub(sum, high);
    const double error = Add(Sub(high, Sub(sum, x_taken)), Sub(x, x_taken));
    const double next = Sub(rest, error), error_taken = Sub(next, rest);
    const double lost = Sub(Sub(rest, Sub(next, error_taken)), Add(error, error_taken));
    high = sum;
    rest = next;
    return lost == 0;
  }

  /// Makes the rest as small as it can be, so that it has room for more.
  FOLDLINE_HOST_DEVICE void renormalise() {
    using one_lane::Add, one_lane::Sub;
    const double sum = Sub(high, rest), taken = Sub(sum, high);
    const double error = Sub(Sub(high, Sub(sum, taken)), Add(rest, taken));
    if (!(error == error)) return;  // the sum is beyond the largest double
    high = sum;
    rest = Sub(0.0, error);
  }

  /// Rounded to nearest.
  FOLDLINE_HOST_DEVICE double rounded() const { return one_lane::Sub(high, rest); }

  /// Rounded to odd: exact, or the neighbour whose last bit is set. Rounding that to a type of at most 51
  /// bits is rounding the number itself (Boldo and Melquiond, 2008).
  FOLDLINE_HOST_DEVICE double rounded_to_odd() const {
    using one_lane::Add, one_lane::Sub;
    if (rest == 0) return high;
    const double sum = Sub(high, rest), taken = Sub(sum, high);
    const double error = Sub(Sub(high, Sub(sum, taken)), Add(rest, taken));
    const std::uint64_t bits = bits_of(sum);
    if (!(error != 0) || (bits & 1) != 0 || !foldline::is_finite(sum)) return sum;
    return from_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
};

}  // namespace foldline::cuda
