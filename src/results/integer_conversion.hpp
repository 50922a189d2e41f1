// Conversion of exact numbers to integer types, for the host and for GPU threads.
#pragma once

#include <cstdint>

#include "arithmetic/natural.hpp"
#include "contract/order_key.hpp"
#include "foldline/types.hpp"

namespace foldline {

/// What of a number decides its value in an integer type.
struct TruncatedInteger {
  bool negative;
  std::uint64_t low;     // the magnitude modulo 2^64
  bool exceeds_64_bits;  // the magnitude has more than 64 bits
  bool is_integer;       // the number has no fraction
};

struct IntegerFormat {
  int bits;
  bool is_signed;
};
constexpr IntegerFormat integer_format_of(ElementType type) {
  return {type == ElementType::boolean ? 1 : 8 * static_cast<int>(size_of(type)), is_signed(type)};
}

/// +-magnitude * 2^exponent. Overwrites the magnitude, whose capacity must allow for a shift to units of 1.
template <int C>
FOLDLINE_HOST_DEVICE TruncatedInteger integer_of(bool negative, Natural<C>& magnitude, int exponent) {
  bool is_integer = true;
  int first = 0;  // digit of weight 1
  if (exponent >= 0) {
    shift_up(magnitude, exponent);
  } else {
    shift_up(magnitude, (32 - -exponent % 32) % 32);
    first = (-exponent + 31) / 32;
    for (int i = 0; i < first && i < magnitude.size; ++i) is_integer = is_integer && magnitude.digit[i] == 0;
  }
  const auto digit = [&](int i) { return i < magnitude.size ? std::uint64_t{magnitude.digit[i]} : 0; };
  return {negative, digit(first + 1) << 32 | digit(first), magnitude.size > first + 2, is_integer};
}

/// The number of a finite key.
FOLDLINE_HOST_DEVICE inline TruncatedInteger integer_of(WideKey key) {
  const Decomposed parts = from_wide_key(key);  // the significand has its highest bit set, unless it is 0
  if (parts.significand == 0) return {false, 0, false, true};
  if (parts.exponent >= 0)
    return {parts.negative, parts.exponent < 64 ? parts.significand << parts.exponent : 0, parts.exponent > 0,
            true};
  if (parts.exponent <= -64) return {parts.negative, 0, false, false};
  const std::uint64_t low = parts.significand >> -parts.exponent;
  return {parts.negative, low, false, low << -parts.exponent == parts.significand};
}

FOLDLINE_HOST_DEVICE inline bool fits(const TruncatedInteger& value, const IntegerFormat& format) {
  if (value.exceeds_64_bits) return false;
  const int bits = format.bits - (format.is_signed ? 1 : 0);
  const std::uint64_t largest = ~std::uint64_t{0} >> (64 - bits);
  if (!value.negative || value.low == 0) return value.low <= largest;
  return format.is_signed && value.low <= largest + 1;
}

/// The value modulo 2^bits, in the range of the type, sign-extended to 64 bits.
FOLDLINE_HOST_DEVICE inline std::uint64_t wrapped(const TruncatedInteger& value,
                                                  const IntegerFormat& format) {
  const int unused = 64 - format.bits;
  const std::uint64_t bits = (value.negative ? ~value.low + 1 : value.low) << unused;
  return format.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused)
                          : bits >> unused;
}

}  // namespace foldline
