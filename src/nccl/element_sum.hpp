// The sum of a few numbers, one from each rank, rounded once to their own type: what an all-reduce makes of
// an element. The same source for the host and for GPU threads. Nothing of it depends on the order of the
// terms but the way that is taken, and every way gives the correctly rounded sum.
//
// Let P terms be below 2^t in magnitude and multiples of 2^u, L = ceil(log2 P), and p the bits of a
// significand. The largest magnitude and the smallest that is not zero tell t and u: with exponent fields h
// and l, t - u <= h - max(l, 1) + p.
//
// 1. Plain additions of doubles. Each partial sum is a multiple of 2^u and below P 2^t, so no addition rounds
//    if L + t - u <= 53. For floats (p = 24) that is h - l <= 29 - L, so 25 binades apart for 16 terms; for
//    bfloat16 (p = 8) h - l <= 45 - L; halves span 40 bits, so 2^13 of them never round.
//
// 2. Two doubles. Each addition is a TwoSum, of which the error e_i is at most 2^-53 P 2^t and a multiple of
//    2^u. (Additions do not underflow, and do not overflow if t + L <= 1023.) The sum of all e_i is below
//    2^(t + 2L - 53), so it is exact in a double if t - u + 2L <= 106. Otherwise its own P roundings lack at
//    most 2^-53 of that each, 2^(t + 3L - 106) together; with d = 2^(t + 3L - 104), which covers the rounding
//    of error +- d too, the sum lies between the two pairs (sum, error - d) and (sum, error + d). Rounding is
//    monotonic: if both round to the same number, so does the sum. A pair is rounded once: its sum, to
//    nearest, for doubles; else its sum is rounded to odd first, which has two bits more than it needs (Boldo
//    and Melquiond, "Emulation of round-to-nearest and addition by FMA in double precision", 2008).
//
// 3. Digits of 32 bits from the lowest up, each the sum of the terms' bits in its place and of a carry; the
//    terms are read again for each digit. So it takes no memory, which GPU threads would need for limbs, and
//    any number of terms below 2^30.
#pragma once

#include <cstdint>
#include <type_traits>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/rounding.hpp"
#include "foldline/types.hpp"
#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace foldline::nccl {

template <class T>
struct TermFormat;
template <>
struct TermFormat<double> {
  static constexpr FloatFormat format = format_of_double;
  static constexpr int field_bits = 21, bias = 1023, infinite = 0x7ff;
};
template <>
struct TermFormat<float> {
  static constexpr FloatFormat format = format_of_float;
  static constexpr int field_bits = 23, bias = 127, infinite = 0xff;
};
template <>
struct TermFormat<bfloat16> {
  static constexpr FloatFormat format = format_of_bfloat16;
  static constexpr int field_bits = 23, bias = 127, infinite = 0xff;
};
template <>
struct TermFormat<half> {
  static constexpr FloatFormat format = format_of_half;
  static constexpr int field_bits = 10, bias = 15, infinite = 0x1f;
};

FOLDLINE_HOST_DEVICE inline std::uint32_t float_bits(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
FOLDLINE_HOST_DEVICE inline float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// An element as a double: exact.
FOLDLINE_HOST_DEVICE inline double widened(double x) { return x; }
FOLDLINE_HOST_DEVICE inline double widened(float x) { return x; }
FOLDLINE_HOST_DEVICE inline double widened(bfloat16 x) {
  return float_of(static_cast<std::uint32_t>(x.bits) << 16);
}
FOLDLINE_HOST_DEVICE inline double widened(half x) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(x.bits));
#else
  return static_cast<float>(x);
#endif
}

/// An integer that orders elements as their magnitudes do, with the exponent field above `field_bits` bits; 0
/// for zeros only.
FOLDLINE_HOST_DEVICE inline std::uint32_t magnitude_key(double x) {
  const std::uint64_t bits = bits_of(x);
  return static_cast<std::uint32_t>(bits >> 32) << 1 | (static_cast<std::uint32_t>(bits) != 0 ? 1u : 0u);
}
FOLDLINE_HOST_DEVICE inline std::uint32_t magnitude_key(float x) { return float_bits(x) & 0x7fffffffu; }
FOLDLINE_HOST_DEVICE inline std::uint32_t magnitude_key(bfloat16 x) { return (x.bits & 0x7fffu) << 16; }
FOLDLINE_HOST_DEVICE inline std::uint32_t magnitude_key(half x) { return x.bits & 0x7fffu; }

/// A double, not NaN, that is rounded to odd as a float: if it is not one, the neighbour with an odd last
/// bit.
FOLDLINE_HOST_DEVICE inline float odd_float(double x) {
#if defined(__CUDA_ARCH__)
  std::uint32_t bits = float_bits(__double2float_rz(x));
#else
  std::uint32_t bits = float_bits(static_cast<float>(x));
  if (widened(float_of(bits & 0x7fffffffu)) > (x < 0 ? -x : x)) --bits;
#endif
  return float_of(widened(float_of(bits)) == x ? bits : bits | 1);
}

/// A double rounded to T once; every NaN is the canonical one.
template <FloatingElement T>
FOLDLINE_HOST_DEVICE inline T narrowed(double x) {
  const bool is_nan = x != x;
  if constexpr (std::is_same_v<T, double>) {
    return is_nan ? from_bits(canonical_nan) : x;
  } else if constexpr (std::is_same_v<T, float>) {
    return is_nan ? float_of(0x7fc00000u) : static_cast<float>(x);
  } else {
    T result;
    if (is_nan) {
      result.bits = static_cast<std::uint16_t>(std::is_same_v<T, half> ? 0x7e00u : 0x7fc0u);
      return result;
    }
    const float odd = odd_float(x);
    if constexpr (std::is_same_v<T, bfloat16>) {
      const std::uint32_t bits = float_bits(odd);
      result.bits = static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
    } else {
#if defined(__CUDA_ARCH__)
      result.bits = __half_as_ushort(__float2half_rn(odd));
#else
      result = half(odd);
#endif
    }
    return result;
  }
}

/// The sum of two numbers and its error (Knuth's TwoSum).
struct DoublePair {
  double sum, error;
};
FOLDLINE_HOST_DEVICE inline DoublePair two_sum(double a, double b) {
#if defined(__CUDA_ARCH__)  // as written, whatever the compiler may contract
  const double sum = __dadd_rn(a, b), of_b = __dsub_rn(sum, a), of_a = __dsub_rn(sum, of_b);
  return {sum, __dadd_rn(__dsub_rn(a, of_a), __dsub_rn(b, of_b))};
#else
  const double sum = a + b, of_b = sum - a, of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
#endif
}

struct FloatPair {
  float sum, error;
};
FOLDLINE_HOST_DEVICE inline FloatPair two_sum_of_floats(float a, float b) {
#if defined(__CUDA_ARCH__)
  const float sum = __fadd_rn(a, b), of_b = __fsub_rn(sum, a), of_a = __fsub_rn(sum, of_b);
  return {sum, __fadd_rn(__fsub_rn(a, of_a), __fsub_rn(b, of_b))};
#else
  const float sum = a + b, of_b = sum - a, of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
#endif
}

/// a + b rounded to T once.
template <FloatingElement T>
FOLDLINE_HOST_DEVICE inline T rounded_pair(double a, double b) {
  if (b == 0) return narrowed<T>(a);  // a may be -0
  const DoublePair pair = two_sum(a, b);
  if constexpr (std::is_same_v<T, double>) return pair.sum;
  std::uint64_t bits = bits_of(pair.sum);
  if (pair.error != 0 && (bits & 1) == 0) bits += (pair.error > 0) == (pair.sum > 0) ? 1 : ~std::uint64_t{0};
  return narrowed<T>(from_bits(bits));
}

/// ceil(log2(n)) for n >= 1.
FOLDLINE_HOST_DEVICE constexpr int ceil_log2(int n) {
  int result = 0;
  while (1ll << result < n) ++result;
  return result;
}

/// What the keys of the terms tell: magnitudes are below 2^top and multiples of 2^unit, if they are finite.
template <FloatingElement T>
struct TermRange {
  using Format = TermFormat<T>;
  std::uint32_t highest = 0, lowest = ~0u;  // the lowest of those that are not zero, less 1

  FOLDLINE_HOST_DEVICE void observe(T x) {
    const std::uint32_t key = magnitude_key(x);
    highest = key > highest ? key : highest;
    lowest = key - 1 < lowest ? key - 1 : lowest;
  }
  FOLDLINE_HOST_DEVICE int high_field() const { return static_cast<int>(highest >> Format::field_bits); }
  FOLDLINE_HOST_DEVICE int low_field() const {
    const auto field = static_cast<int>((lowest + 1) >> Format::field_bits);
    return field > 1 ? field : 1;
  }
  FOLDLINE_HOST_DEVICE bool all_finite() const { return high_field() < Format::infinite; }
  FOLDLINE_HOST_DEVICE bool all_zero() const { return highest == 0; }
  FOLDLINE_HOST_DEVICE int top() const { return (high_field() > 1 ? high_field() : 1) - Format::bias + 1; }
  FOLDLINE_HOST_DEVICE int unit() const { return low_field() - Format::bias + 1 - Format::format.precision; }
};

/// The digits of a number that is not negative, as they come from the lowest up: keeps the four that end with
/// the highest one that is not zero.
struct LeadingDigits {
  Uint128 recent = 0, leading = 0;
  bool lost = false, sticky = false;
  int exponent = 0;  // of the lowest bit of `leading`

  FOLDLINE_HOST_DEVICE void push(std::uint32_t digit, int place) {
    lost = lost || static_cast<std::uint32_t>(recent) != 0;
    recent = recent >> 32 | static_cast<Uint128>(digit) << 96;
    if (digit == 0) return;
    leading = recent;
    sticky = lost;
    exponent = place - 96;
  }
};

/// The bits of a finite number from 2^place on, 32 of them, with its sign.
FOLDLINE_HOST_DEVICE inline std::int64_t digit_of(double x, int place) {
  const Decomposed parts = decompose(x);
  const int shift = place - parts.exponent;
  std::uint32_t digit = 0;
  if (shift >= 0 && shift < 64) digit = static_cast<std::uint32_t>(parts.significand >> shift);
  if (shift < 0 && shift > -32) digit = static_cast<std::uint32_t>(parts.significand << -shift);
  return parts.negative ? -static_cast<std::int64_t>(digit) : static_cast<std::int64_t>(digit);
}

/// The third way. `term(i)` is the i-th of `count` terms; they are finite, and not all of them are zero. The
/// result's type R may be narrower than the terms'.
template <FloatingElement R, FloatingElement T, class Term>
FOLDLINE_HOST_DEVICE R sum_by_digits(const TermRange<T>& range, int count, const Term& term) {
  LeadingDigits positive, negative;  // of the sum, and of its negation
  std::int64_t carry = 0;
  std::uint64_t carry_of_negation = 1;
  const int end = range.top() + ceil_log2(count) + 1;
  for (int place = range.unit(); place < end; place += 32) {
    std::int64_t sum = carry;
    for (int i = 0; i < count; ++i) sum += digit_of(widened(term(i)), place);
    const auto digit = static_cast<std::uint32_t>(sum);
    carry = sum >> 32;  // floor
    positive.push(digit, place);
    const std::uint64_t negated = static_cast<std::uint64_t>(~digit) + carry_of_negation;
    negative.push(static_cast<std::uint32_t>(negated), place);
    carry_of_negation = negated >> 32;
  }
  const LeadingDigits& digits = carry < 0 ? negative : positive;
  if (digits.leading == 0) return narrowed<R>(0.0);
  LeadingBits leading = leading_bits(digits.leading, digits.exponent);
  leading.sticky = leading.sticky || digits.sticky;
  const FloatFormat format = TermFormat<R>::format;  // a copy, since kernels have no address of it
  return narrowed<R>(round(carry < 0, leading, format));
}

template <FloatingElement T>
FOLDLINE_HOST_DEVICE inline bool same_bits(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return a.bits == b.bits;
  else if constexpr (sizeof(T) == 4)
    return float_bits(a) == float_bits(b);
  else
    return bits_of(a) == bits_of(b);
}

/// The second way: a sum of finite terms by TwoSum and the sum of its errors. Returns false if they do not
/// tell the result.
template <FloatingElement R, FloatingElement T>
FOLDLINE_HOST_DEVICE inline bool round_pairs(const TermRange<T>& range, int log2_count, double sum,
                                             double error, R& result) {
  const int top = range.top();
  if (top + log2_count > 1023) return false;
  result = rounded_pair<R>(sum, error);
  if (top - range.unit() + 2 * log2_count <= 106) return true;
  const int lacking = top + 3 * log2_count - 104;
  if (lacking < -1000) return false;
  const double bound = power_of_two(lacking);
  result = rounded_pair<R>(sum, error - bound);
  return same_bits(result, rounded_pair<R>(sum, error + bound));
}

/// The second way from the terms, and the third where that does not tell. The terms are finite, and not all
/// of them are zero.
template <FloatingElement R, FloatingElement T, class Term>
FOLDLINE_HOST_DEVICE R sum_by_pairs(const TermRange<T>& range, int count, const Term& term) {
  double sum = -0.0, error = 0;
  for (int i = 0; i < count; ++i) {
    const DoublePair next = two_sum(sum, widened(term(i)));
    sum = next.sum;
    error += next.error;
  }
  R result;
  return round_pairs<R>(range, ceil_log2(count), sum, error, result) ? result
                                                                     : sum_by_digits<R>(range, count, term);
}

/// NaN, an infinity, or what the other ways make of the terms.
template <FloatingElement R, FloatingElement T, class Term>
#if defined(__CUDACC__)
__noinline__
#endif
    FOLDLINE_HOST_DEVICE R
    sum_of_any(const TermRange<T>& range, int count, const Term& term) {
  if (range.all_finite()) return sum_by_pairs<R>(range, count, term);
  Specials specials;
  for (int i = 0; i < count; ++i)
    if (const double x = widened(term(i)); !is_finite(x)) specials.count(x);
  return narrowed<R>(specials.sum());
}

/// Adds terms in the first way, doubles in the second. It looks at each term once; where that does not tell
/// the sum, all are read again. R is the type that the sum is rounded to, not wider than T.
template <FloatingElement T, FloatingElement R = T>
class ElementSum {
 public:
  FOLDLINE_HOST_DEVICE void add(T x) {
    if constexpr (std::is_same_v<T, double>) {
      const DoublePair next = two_sum(sum_, x);
      sum_ = next.sum;
      error_ += next.error;
    } else {
      sum_ += widened(x);
    }
    range_.observe(x);
  }
  /// Whether the sum is known from what was added: then it is `result`. The logarithm of the number of terms,
  /// at most 30, is rounded up.
  FOLDLINE_HOST_DEVICE bool rounds(int log2_count, R& result) const {
    if (!range_.all_finite()) return false;
    if constexpr (std::is_same_v<T, double>) return round_pairs<R>(range_, log2_count, sum_, error_, result);
    const int span = range_.high_field() - range_.low_field() + TermFormat<T>::format.precision;
    if (span + log2_count > 53) return false;
    result = narrowed<R>(sum_);
    return true;
  }
  /// The sum of the `count` terms that were added; `term(i)` is the i-th. 1 <= count < 2^30.
  template <class Term>
  FOLDLINE_HOST_DEVICE R rounded(int count, const Term& term) const {
    R result;
    return rounds(ceil_log2(count), result) ? result : sum_of_any<R>(range_, count, term);
  }

 private:
  double sum_ = -0.0, error_ = 0;
  TermRange<T> range_;
};

/// The sum of `count` terms; 1 <= count < 2^30.
template <FloatingElement T, FloatingElement R = T, class Term>
FOLDLINE_HOST_DEVICE R sum_of_terms(int count, const Term& term) {
  ElementSum<T, R> sum;
  for (int i = 0; i < count; ++i) sum.add(term(i));
  return sum.rounded(count, term);
}

}  // namespace foldline::nccl
