// Levels: sums of products of slices, and their rounding. Slices are numbers of few bits, each `Bits` below
// the one before; level s is the sum of the products of slices i and j with i + j = s.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"
#include "arithmetic/int128.hpp"
#include "arithmetic/rounding.hpp"

namespace foldline {

/// A rounded number, unless the attempt was undecided.
struct RoundingAttempt {
  double value;
  bool is_certain;
};

/// An interval that contains a number: from least to most, times 2^exponent.
struct Bounds {
  Int128 least, most;
  int exponent;
};

/// Rounds a number if its bounds both round to the same value.
FOLDLINE_HOST_DEVICE inline RoundingAttempt rounded(const Bounds& bounds, const FloatFormat& format) {
  const auto rounded_bound = [&](Int128 value) {
    if (value == 0) return 0.0;
    return round(value < 0, leading_bits(magnitude(value), bounds.exponent), format);
  };
  if (bounds.least == bounds.most) return {rounded_bound(bounds.least), true};
  // Undecided: an interval around zero never rounds to one value.
  if (bounds.least <= 0 && bounds.most >= 0) return {0, false};
  const double result = rounded_bound(bounds.least);
  return {result, bits_of(result) == bits_of(rounded_bound(bounds.most))};
}

/// Bounds of the sum over s in [0, levels) of level(s) 2^(exponent - s Bits), where terms of together at most
/// `omitted` units of level LeadingLevels - 1, of either sign, are missing. |level(s)| < 2^62, |omitted| <
/// 2^120 and Bits (LeadingLevels - 1) <= 64, so that the leading levels fit one 128-bit integer.
template <int Bits, int LeadingLevels, class Level>
FOLDLINE_HOST_DEVICE Bounds bounds_of_levels(const Level& level, int levels, int exponent, Int128 omitted) {
  constexpr int low_bits = Bits * (LeadingLevels - 1);
  static_assert(low_bits <= 64);
  constexpr std::int64_t mask = (std::int64_t{1} << Bits) - 1;
  std::uint64_t low = 0;   // levels 1 .. LeadingLevels - 1, as nonnegative digits
  std::int64_t below = 0;  // lower digits, or-ed
  std::int64_t carry = 0;
  for (int s = levels - 1; s > 0; --s) {
    const std::int64_t sum = level(s) + carry;
    const std::int64_t digit = sum & mask;
    if (s < LeadingLevels)
      low |= static_cast<std::uint64_t>(digit) << (low_bits - Bits * s);
    else
      below |= digit;
    carry = sum >> Bits;  // floor
  }
  const auto high = static_cast<Uint128>(static_cast<Int128>(level(0) + carry));
  const auto value = static_cast<Int128>((high << low_bits) + low);
  return {value - omitted, value + (below != 0 ? 1 : 0) + omitted, exponent - low_bits};
}

/// floor(x / 2^shift), and rounded up; shift >= 0.
FOLDLINE_HOST_DEVICE inline Int128 shifted_down(Int128 x, int shift) {
  return x >> (shift < 127 ? shift : 127);
}
FOLDLINE_HOST_DEVICE inline Int128 shifted_down_up(Int128 x, int shift) { return -shifted_down(-x, shift); }

/// Bounds of factor * x + p q, for finite numbers.
FOLDLINE_HOST_DEVICE inline Bounds scaled_and_added(Bounds x, double factor, double p, double q) {
  const auto signed_number = [](bool negative, Uint128 magnitude) {
    return negative ? -static_cast<Int128>(magnitude) : static_cast<Int128>(magnitude);
  };
  // Keeps 62 leading bits, which leaves room for a factor of 53.
  const int length = bit_length(x.least) > bit_length(x.most) ? bit_length(x.least) : bit_length(x.most);
  if (const int drop = length - 62; drop > 0)
    x = {shifted_down(x.least, drop), shifted_down_up(x.most, drop), x.exponent + drop};
  const Decomposed by = decompose(factor);
  const Int128 scale = signed_number(by.negative, by.significand);
  x = scale < 0 ? Bounds{x.most * scale, x.least * scale, x.exponent + by.exponent}
                : Bounds{x.least * scale, x.most * scale, x.exponent + by.exponent};
  const Decomposed first = decompose(p), second = decompose(q);
  Int128 product = signed_number(first.negative != second.negative,
                                 static_cast<Uint128>(first.significand) * second.significand);
  int exponent = first.exponent + second.exponent;
  if (product == 0) return x;
  if (x.least == 0 && x.most == 0) return {product, product, exponent};
  // Aligns both to the lower exponent as far as 124 bits allow; beyond that the one of lower exponent is
  // shifted down, and its bounds widen.
  constexpr int room = 124;
  if (exponent > x.exponent) {
    const int up = room - bit_length(product) < exponent - x.exponent ? room - bit_length(product)
                                                                      : exponent - x.exponent;
    product = static_cast<Int128>(static_cast<Uint128>(product) << up);
    exponent -= up;
    const int down = exponent - x.exponent;
    return {shifted_down(x.least, down) + product, shifted_down_up(x.most, down) + product, exponent};
  }
  const int now = bit_length(x.least) > bit_length(x.most) ? bit_length(x.least) : bit_length(x.most);
  const int up = room - now < x.exponent - exponent ? room - now : x.exponent - exponent;
  const int down = x.exponent - up - exponent;
  return {static_cast<Int128>(static_cast<Uint128>(x.least) << up) + shifted_down(product, down),
          static_cast<Int128>(static_cast<Uint128>(x.most) << up) + shifted_down_up(product, down),
          x.exponent - up};
}

}  // namespace foldline
