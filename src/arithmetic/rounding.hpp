// The one rounding: from exact integers to the output type, to nearest, ties to even, directly to its
// precision. In integer arithmetic, but for one conversion on a GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"
#include "arithmetic/natural.hpp"

namespace foldline {

/// A positive number by its leading bits: significand * 2^exponent, plus less than one unit if `sticky`. With
/// `sticky`, the significand has at least 55 bits.
struct LeadingBits {
  std::uint64_t significand;
  int exponent;
  bool sticky;
};

/// The double that holds the value rounded to `format`. A value that rounds to zero keeps its sign.
FOLDLINE_HOST_DEVICE inline double round(bool negative, LeadingBits value, const FloatFormat& format) {
  const std::uint64_t sign = negative ? sign_bit : 0;
#if defined(__CUDA_ARCH__)
  // Far from overflow and underflow one conversion instruction rounds to double. (Not on a CPU, where it
  // would follow the caller's rounding mode.)
  if (format.precision == fraction_bits + 1 && value.exponent > -1000 && value.exponent < 900) {
    const double rounded = __ull2double_rn(value.significand | (value.sticky ? 1 : 0));
    return from_bits((sign | bits_of(rounded)) +
                     (static_cast<std::uint64_t>(value.exponent) << fraction_bits));
  }
#endif
  const int zeros = leading_zeros(value.significand);
  const std::uint64_t significand = value.significand << zeros;  // bit 63 set
  const int exponent = value.exponent - zeros;
  int last_place = exponent + 64 - format.precision;
  if (last_place < format.min_exponent) last_place = format.min_exponent;
  const int shift = last_place - exponent;  // >= 64 - 53
  std::uint64_t kept = 0;
  bool half = false;
  bool below_half = true;
  if (shift < 64) {
    kept = significand >> shift;
    half = ((significand >> (shift - 1)) & 1) != 0;
    below_half = (significand & ((std::uint64_t{1} << (shift - 1)) - 1)) != 0 || value.sticky;
  } else if (shift == 64) {
    half = true;
    below_half = (significand << 1) != 0 || value.sticky;
  }
  if (half && (below_half || (kept & 1) != 0)) ++kept;
  if (kept == 0) return from_bits(sign);
  const int high = 63 - leading_zeros(kept);
  if (last_place + high >= format.max_exponent) return from_bits(sign | infinity_bits);
  const int field = last_place + high + exponent_bias;
  if (field < 1) return from_bits(sign | kept << (last_place - smallest_exponent));
  // Rounding up may have made 2^53; a power of two has no fraction.
  const std::uint64_t aligned = high > fraction_bits ? 0 : kept << (fraction_bits - high);
  const std::uint64_t fraction = aligned & ((std::uint64_t{1} << fraction_bits) - 1);
  return from_bits(sign | static_cast<std::uint64_t>(field) << fraction_bits | fraction);
}

/// The leading 64 bits of a * 2^exponent; a != 0.
FOLDLINE_HOST_DEVICE inline LeadingBits leading_bits(Uint128 a, int exponent) {
  const auto high = static_cast<std::uint64_t>(a >> 64);
  const auto low = static_cast<std::uint64_t>(a);
  if (high == 0) return {low, exponent, false};
  const int zeros = leading_zeros(high);
  const Uint128 shifted = a << zeros;
  return {static_cast<std::uint64_t>(shifted >> 64), exponent + 64 - zeros,
          static_cast<std::uint64_t>(shifted) != 0};
}

/// The same for a longer number.
template <int C>
FOLDLINE_HOST_DEVICE LeadingBits leading_bits(const Natural<C>& a, int exponent) {
  const int length = a.bit_length();
  if (length <= 64) {
    const std::uint64_t low = a.digit[0];
    return {a.size > 1 ? static_cast<std::uint64_t>(a.digit[1]) << 32 | low : low, exponent, false};
  }
  // bits [length - 64, length) out of at most three digits
  const int shift = length - 64;
  const int first = shift / 32;
  Uint128 window = 0;
  for (int i = 2; i >= 0; --i) window = window << 32 | (first + i < a.size ? a.digit[first + i] : 0u);
  bool sticky = (a.digit[first] & ((1u << (shift % 32)) - 1)) != 0;
  for (int i = 0; i < first && !sticky; ++i) sticky = a.digit[i] != 0;
  return {static_cast<std::uint64_t>(window >> (shift % 32)), exponent + shift, sticky};
}

/// floor(sqrt(a)), and whether it is the exact root.
struct SquareRoot {
  std::uint64_t floor;
  bool exact;
};

/// For a >= 2^126.
FOLDLINE_HOST_DEVICE inline SquareRoot square_root(Uint128 a) {
  // The root of the leading 53 bits is accurate to 2^14, after one Newton step to 1; integer arithmetic then
  // finds the floor. (Newton's iteration in integers alone takes 128-bit divisions: microseconds on a GPU.)
  constexpr std::uint64_t largest = ~std::uint64_t{0};
  const auto leading = static_cast<double>(static_cast<std::uint64_t>(a >> 64));
#if defined(__CUDA_ARCH__)
  const double inverse = rsqrt(leading);  // a division would double the time
#else
  const double inverse = 1 / std::sqrt(leading);
#endif
  const double estimate = leading * inverse * 0x1p32;
  std::uint64_t root = estimate < 0x1p64 ? static_cast<std::uint64_t>(estimate) : largest;
  const auto error = static_cast<Int128>(a - static_cast<Uint128>(root) * root);  // within 2^80
  const auto step = static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(error >> 32)) *
                                              (inverse * 0.5));
  if (step > 0 && root > largest - static_cast<std::uint64_t>(step))
    root = largest;
  else
    root += static_cast<std::uint64_t>(step);
  auto rest = static_cast<Int128>(a - static_cast<Uint128>(root) * root);
  for (; rest < 0; --root) rest += 2 * static_cast<Int128>(root) - 1;
  for (; rest > 2 * static_cast<Int128>(root); ++root) rest -= 2 * static_cast<Int128>(root) + 1;
  return {root, rest == 0};
}

/// The leading bits of sqrt((a + rest) * 2^exponent) for a >= 2^127 and a rest below 1, which is nonzero if
/// `sticky`.
FOLDLINE_HOST_DEVICE inline LeadingBits leading_root(Uint128 a, int exponent, bool sticky) {
  // The exponent is made even, so that the root has half of it. A lost bit or an inexact root sets `sticky`.
  const int odd = exponent & 1;
  const SquareRoot root = square_root(a >> odd);
  return {root.floor, (exponent + odd) / 2, sticky || (odd != 0 && (a & 1) != 0) || !root.exact};
}

/// The leading bits of sqrt(a * 2^exponent); a != 0.
template <int C>
FOLDLINE_HOST_DEVICE LeadingBits leading_root(const Natural<C>& a, int exponent) {
  // a = T * 2^drop + rest with T of 128 bits.
  const int drop = a.bit_length() - 128;
  Uint128 top = 0;
  bool sticky = false;
  for (int i = a.size - 1; i >= 0; --i) {
    const int place = 32 * i - drop;  // of the digit's lowest bit within T
    if (place >= 0) {
      top |= static_cast<Uint128>(a.digit[i]) << place;
    } else if (place > -32) {
      top |= a.digit[i] >> -place;
      sticky = sticky || (a.digit[i] & ((1u << -place) - 1)) != 0;
    } else {
      sticky = sticky || a.digit[i] != 0;
    }
  }
  return leading_root(top, exponent + drop, sticky);
}

/// Divisors of a square root's radicand; positive.
struct Divisors {
  std::uint64_t first, second = 1, third = 1;
};

/// Words that a root of a quotient needs beyond those of the dividend, so that 129 bits and more are left: 64
/// for each divisor and 128.
FOLDLINE_HOST_DEVICE constexpr int root_words(const Divisors& divisors) {
  return 6 + (divisors.second != 1 ? 2 : 0) + (divisors.third != 1 ? 2 : 0);
}

/// The leading bits of sqrt(a * 2^exponent / (d1 d2 d3)); a != 0. Overwrites a.
template <int C>
FOLDLINE_HOST_DEVICE LeadingBits leading_root(Natural<C>& a, int exponent, const Divisors& divisors) {
  const int words = root_words(divisors);
  shift_up_words(a, words);
  bool has_rest = divide(a, divisors.first) != 0;
  if (divisors.second != 1 && divide(a, divisors.second) != 0) has_rest = true;
  if (divisors.third != 1 && divide(a, divisors.third) != 0) has_rest = true;
  if (has_rest) a.digit[0] |= 1;  // below the 128 leading bits, where it only says that there is more
  return leading_root(a, exponent - 32 * words);
}

/// Words that leading_quotient needs beyond those of the dividend.
inline constexpr int quotient_words = 6;

/// The leading bits of a * 2^exponent / (d1 * d2); a != 0, the divisors positive. Overwrites a.
template <int C>
FOLDLINE_HOST_DEVICE LeadingBits leading_quotient(Natural<C>& a, int exponent, std::uint64_t d1,
                                                  std::uint64_t d2) {
  // 2^192 > d1 * d2 * 2^64, so that the quotient has 64 bits and more. floor(floor(a / d1) / d2) = floor(a /
  // (d1 d2)).
  shift_up_words(a, quotient_words);
  bool sticky = divide(a, d1) != 0;
  if (d2 != 1 && divide(a, d2) != 0) sticky = true;
  LeadingBits result = leading_bits(a, exponent - 32 * quotient_words);
  result.sticky = result.sticky || sticky;
  return result;
}

/// The leading bits of (a / b) * 2^exponent; a and b != 0. Overwrites both. Restoring division: one bit per
/// step.
template <int C>
FOLDLINE_HOST_DEVICE LeadingBits leading_quotient(Natural<C>& a, Natural<C>& b, int exponent) {
  constexpr int quotient_bits = 64;
  // Align so that 1/2 < a / b < 2, then take the bits one by one.
  const int ahead = a.bit_length() - b.bit_length();
  if (ahead > 0)
    shift_up(b, ahead);
  else
    shift_up(a, -ahead);
  std::uint64_t quotient = 0;
  int bits = 0;
  for (; bits < quotient_bits; ++bits) {
    quotient <<= 1;
    if (compare(a, b) >= 0) {
      subtract(a, b);
      quotient |= 1;
    }
    shift_up(a, 1);
  }
  return {quotient, exponent + ahead - (quotient_bits - 1), !a.is_zero()};
}

}  // namespace foldline
