// The range of a vector, its largest element minus its smallest one, from these two by one rounding: for the
// host and for GPU threads.
#pragma once

#include <cstdint>

#include "arithmetic/int128.hpp"
#include "results/integer_conversion.hpp"
#include "results/rounded_results.hpp"

namespace foldline {

/// magnitude * 2^exponent, plus less than one unit if `sticky`; the magnitude has 63 bits or more then.
struct Difference {
  Uint128 magnitude;
  int exponent;
  bool sticky;
};

/// highest - lowest, two numbers.
FOLDLINE_HOST_DEVICE inline Difference difference(WideKey highest, WideKey lowest) {
  const Decomposed a = from_wide_key(highest), b = from_wide_key(lowest);
  const bool a_is_smaller =
      a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
  const Decomposed large = a_is_smaller ? b : a, small = a_is_smaller ? a : b;
  if (small.significand == 0) return {large.significand, large.exponent, false};
  const bool adds = a.negative != b.negative;
  // Significands have their highest bits set. One more than 64 places lower is less than a unit of the other.
  const int apart = large.exponent - small.exponent;
  if (apart > 64) return {large.significand - (adds ? 0 : 1), large.exponent, true};
  const Uint128 aligned = static_cast<Uint128>(large.significand) << apart;
  return {adds ? aligned + small.significand : aligned - small.significand, small.exponent, false};
}

/// Whether both extrema are numbers.
FOLDLINE_HOST_DEVICE inline bool has_finite_range(const ExtremeKeys& extrema) {
  return bits_of(special_extremum(extrema.lowest, extrema)) == 0 &&
         bits_of(special_extremum(extrema.highest, extrema)) == 0;
}

/// NaN for an empty vector, and if both extrema are the same infinity. A range of zero is +0.
FOLDLINE_HOST_DEVICE inline double rounded_range(const ExtremeKeys& extrema, const FloatFormat& format) {
  if (!has_finite_range(extrema))
    return from_bits(extrema.is_nan() || extrema.lowest == extrema.highest ? canonical_nan : infinity_bits);
  const auto [magnitude, exponent, sticky] = difference(extrema.highest, extrema.lowest);
  if (magnitude == 0) return 0.0;
  LeadingBits leading = leading_bits(magnitude, exponent);
  leading.sticky = leading.sticky || sticky;
  return round(false, leading, format);
}

/// Of two numbers.
FOLDLINE_HOST_DEVICE inline TruncatedInteger integer_range(const ExtremeKeys& extrema) {
  const auto [magnitude, exponent, sticky] = difference(extrema.highest, extrema.lowest);
  if (sticky) {  // of whole numbers 2^65 or more
    const TruncatedInteger high = integer_of(extrema.highest), low = integer_of(extrema.lowest);
    constexpr IntegerFormat all_bits = {64, false};
    return {false, wrapped(high, all_bits) - wrapped(low, all_bits), true, high.is_integer && low.is_integer};
  }
  if (magnitude == 0) return {false, 0, false, true};
  if (exponent >= 0)
    return {false, exponent < 64 ? static_cast<std::uint64_t>(magnitude << exponent) : 0,
            bit_length(magnitude) + exponent > 64, true};
  if (exponent <= -128) return {false, 0, false, false};
  const Uint128 whole = magnitude >> -exponent;
  return {false, static_cast<std::uint64_t>(whole), whole >> 64 != 0, whole << -exponent == magnitude};
}

/// The minimum, the maximum or the range in `value`; false if it is no number.
FOLDLINE_HOST_DEVICE inline bool integer_extremum(Operation operation, const ExtremeKeys& extrema,
                                                  TruncatedInteger& value) {
  const bool is_range = operation == Operation::range;
  const WideKey key = operation == Operation::minimum ? extrema.lowest : extrema.highest;
  if (is_range ? !has_finite_range(extrema) : bits_of(special_extremum(key, extrema)) != 0) return false;
  value = is_range ? integer_range(extrema) : integer_of(key);
  return true;
}

}  // namespace foldline
