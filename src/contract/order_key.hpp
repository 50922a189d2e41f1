// Order keys: integers that compare as the numbers they stand for, so that extrema are found and merged
// exactly.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

/// Doubles in 64 bits: -inf < ... < -0 < +0 < ... < +inf, NaNs beyond either end.
FOLDLINE_HOST_DEVICE inline std::int64_t order_key(double x) {
  const auto bits = static_cast<std::int64_t>(bits_of(x));
  return bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1);
}
FOLDLINE_HOST_DEVICE inline double from_order_key(std::int64_t key) {
  return from_bits(static_cast<std::uint64_t>(key) ^ static_cast<std::uint64_t>(key >> 63) >> 1);
}

/// Keys of doubles and 64-bit integers alike: the bits of x87's extended format, whose significands have the
/// 64 bits that both need: 15 bits of exponent with the bias 16383, then the significand with its leading
/// bit. All bits are inverted if the number is negative.
using WideKey = Int128;

inline constexpr int wide_bias = 16383 + 63;  // of the exponent of the significand's last place
inline constexpr WideKey wide_infinity = (static_cast<WideKey>(0x7fff) << 64) + (WideKey{1} << 63);
/// Beyond the keys of all numbers: the initial minimum and maximum.
inline constexpr WideKey above_all = static_cast<WideKey>(~Uint128{0} >> 1);
inline constexpr WideKey below_all = ~above_all;

/// The key of +-significand * 2^exponent.
FOLDLINE_HOST_DEVICE inline WideKey wide_key(bool negative, std::uint64_t significand, int exponent) {
  WideKey magnitude = 0;
  if (significand != 0) {
    const int zeros = leading_zeros(significand);
    magnitude = (static_cast<WideKey>(exponent - zeros + wide_bias) << 64) + (significand << zeros);
  }
  return negative ? ~magnitude : magnitude;
}
FOLDLINE_HOST_DEVICE inline WideKey wide_key(double x) {
  const bool negative = (bits_of(x) & sign_bit) != 0;
  const std::uint64_t magnitude = bits_of(x) & ~sign_bit;
  if (magnitude >= infinity_bits) {
    const WideKey key = magnitude == infinity_bits ? wide_infinity : wide_infinity + 1;
    return negative ? ~key : key;
  }
  const Decomposed parts = decompose(x);
  return wide_key(negative, parts.significand, parts.exponent);
}
FOLDLINE_HOST_DEVICE inline WideKey wide_key(std::int64_t x) {
  return wide_key(x < 0, x < 0 ? ~static_cast<std::uint64_t>(x) + 1 : static_cast<std::uint64_t>(x), 0);
}
FOLDLINE_HOST_DEVICE inline WideKey wide_key(std::uint64_t x) { return wide_key(false, x, 0); }

/// The number of a finite key, with a significand of 64 bits.
FOLDLINE_HOST_DEVICE inline Decomposed from_wide_key(WideKey key) {
  const bool negative = key < 0;
  const WideKey magnitude = negative ? ~key : key;
  return {negative, static_cast<std::uint64_t>(magnitude), static_cast<int>(magnitude >> 64) - wide_bias};
}

}  // namespace foldline
