// Exact results in integer types; for the host and for threads of a GPU, as rounded_results.hpp.
#pragma once

#include <cstdint>

#include "arithmetic/natural.hpp"
#include "contract/order_key.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// A number of which an integer type keeps at most 64 bits.
struct Integer {
  bool negative;
  std::uint64_t low;  // of the magnitude, modulo 2^64
  bool longer;        // whether the magnitude has more bits
  bool whole;         // whether the number is an integer
};

struct IntegerFormat {
  int bits;
  bool is_signed;
};
constexpr IntegerFormat integer_format_of(ElementType type) {
  return {type == ElementType::boolean ? 1 : 8 * static_cast<int>(size_of(type)), is_signed(type)};
}

/// +-magnitude * 2^exponent; the magnitude is used up. It needs room for a shift to the unit of 1.
template <int C>
FOLDLINE_HOST_DEVICE Integer integer_of(bool negative, Natural<C>& magnitude, int exponent) {
  bool whole = true;
  int first = 0;  // digit of weight 1
  if (exponent >= 0) {
    shift_up(magnitude, exponent);
  } else {
    shift_up(magnitude, (32 - -exponent % 32) % 32);
    first = (-exponent + 31) / 32;
    for (int i = 0; i < first && i < magnitude.size; ++i) whole = whole && magnitude.digit[i] == 0;
  }
  const auto digit = [&](int i) { return i < magnitude.size ? std::uint64_t{magnitude.digit[i]} : 0; };
  return {negative, digit(first + 1) << 32 | digit(first), magnitude.size > first + 2, whole};
}

/// The finite number of a key.
FOLDLINE_HOST_DEVICE inline Integer integer_of(WideKey key) {
  const Decomposed parts = from_wide_key(key);  // the significand has its highest bit set, unless it is 0
  if (parts.significand == 0) return {false, 0, false, true};
  if (parts.exponent >= 0)
    return {parts.negative, parts.exponent < 64 ? parts.significand << parts.exponent : 0, parts.exponent > 0,
            true};
  if (parts.exponent <= -64) return {parts.negative, 0, false, false};
  const std::uint64_t low = parts.significand >> -parts.exponent;
  return {parts.negative, low, false, low << -parts.exponent == parts.significand};
}

FOLDLINE_HOST_DEVICE inline bool fits(const Integer& value, const IntegerFormat& format) {
  if (value.longer) return false;
  const int bits = format.bits - (format.is_signed ? 1 : 0);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
  if (!value.negative || value.low == 0) return value.low <= largest;
  return format.is_signed && value.low <= largest + 1;
}

/// The value modulo 2^bits, in the range of the type, sign-extended to 64 bits.
FOLDLINE_HOST_DEVICE inline std::uint64_t wrapped(const Integer& value, const IntegerFormat& format) {
  const int unused = 64 - format.bits;
  const std::uint64_t bits = (value.negative ? ~value.low + 1 : value.low) << unused;
  return format.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused)
                          : bits >> unused;
}

}  // namespace foldline
