#include "cpu/product_entry.hpp"

#include <cmath>

#include "cpu/slices.hpp"
#include "rounded_results.hpp"

namespace foldline::cpu {

namespace {

/// Of the three leading levels, 44 + 63 bits, and whether there is something below them.
struct LeadingLevels {
  Int128 value;
  bool more;
};

LeadingLevels leading_levels(const LevelSums& sums) {
  std::int64_t carry = 0;
  std::int64_t below = 0;      // digits of levels 3 and more, or-ed
  std::int64_t digit[3] = {};  // of levels 1 and 2: below 2^slice_bits and not negative
  for (int s = sums.levels - 1; s > 0; --s) {
    const std::int64_t sum = sums.level[s * sums.stride] + carry;
    const std::int64_t low = sum & ((std::int64_t{1} << slice_bits) - 1);
    if (s > 2)
      below |= low;
    else
      digit[s] = low;
    carry = sum >> slice_bits;  // floor
  }
  constexpr Int128 next = Int128{1} << slice_bits;
  return {((sums.level[0] + Int128{carry}) * next + digit[1]) * next + digit[2], below != 0};
}

double rounded(Int128 value, int exponent, const FloatFormat& format) {
  const bool negative = value < 0;
  const auto magnitude = negative ? ~static_cast<Uint128>(value) + 1 : static_cast<Uint128>(value);
  return round(negative, leading_bits(magnitude, exponent), format);
}

/// alpha times a sum of products, and the product beta c: 2^-3264 .. 2^3392.
using ScaledLimbs = Limbs<-3264, 208>;
static_assert(ScaledLimbs::first_exponent <= ProductLimbs::first_exponent + smallest_exponent);

void add_product(double x, double y, ScaledLimbs& total) {
  const Decomposed first = decompose(x);
  const Decomposed second = decompose(y);
  total.add(first.negative != second.negative, Uint128{first.significand} * second.significand,
            first.exponent + second.exponent);
}

}  // namespace

PossibleEntry rounded(const LevelSums& sums, const FloatFormat& format) {
  const auto [value, more] = leading_levels(sums);
  const int exponent = sums.exponent - 2 * slice_bits;
  if (!more && sums.left_out == 0) return {value == 0 ? 0.0 : rounded(value, exponent, format), true};
  const Int128 least = value - sums.left_out;
  const Int128 most = value + static_cast<int>(more) + sums.left_out;
  if (least <= 0 && most >= 0) return {0, false};
  const double result = rounded(least, exponent, format);
  return {result, bits_of(result) == bits_of(rounded(most, exponent, format))};
}

void add_levels(const LevelSums& sums, ExactSum<ProductLimbs>& total) {
  for (int s = 0; s < sums.levels; ++s) {
    Int128 value = sums.level[s * sums.stride];
    int exponent = sums.exponent - s * slice_bits;
    if (exponent < ProductLimbs::first_exponent) {
      // The unit of a level may be less than any product of doubles; the level's sum is not, unless it is 0.
      value >>= ProductLimbs::first_exponent - exponent;
      exponent = ProductLimbs::first_exponent;
    }
    total.add(value, exponent);
  }
}

double rounded(const ExactSum<ProductLimbs>& sum, double alpha, double beta, double c,
               const FloatFormat& format) {
  Natural<160> digits;
  if (alpha == 1 && beta == 0) return rounded_sum(sum, 0.0, format, digits);
  const bool c_is_finite = beta == 0 || std::isfinite(c);
  if (sum.specials.any() || !c_is_finite) {
    const double result =
        (sum.specials.any() ? alpha * sum.specials.sum() : 0) + (c_is_finite ? 0 : beta * c);
    return std::isnan(result) ? from_bits(canonical_nan) : result;
  }
  ScaledLimbs total;
  total.clear();
  if (beta != 0) add_product(beta, c, total);
  const auto [negative, exponent] = sum.magnitude(digits);
  const Decomposed factor = decompose(alpha);
  for (int i = 0; i < digits.size; ++i)
    total.add(negative != factor.negative, Uint128{digits.digit[i]} * factor.significand,
              exponent + 32 * i + factor.exponent);
  Natural<216> magnitude;
  const SignedDigits total_digits = magnitude_of(total.words(), ScaledLimbs::count, magnitude);
  if (magnitude.is_zero()) return 0;
  return round(total_digits.negative,
               leading_bits(magnitude, ScaledLimbs::first_exponent + 32 * total_digits.skipped), format);
}

}  // namespace foldline::cpu
