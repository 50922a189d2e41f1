// The last step of an exact matrix product: from a sum of products to a rounded entry of C, for the host and
// for GPU threads.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/rounding.hpp"
#include "results/rounded_results.hpp"

namespace foldline {

/// Adds all levels of slices (arithmetic/slice_levels.hpp) to an exact sum.
template <int Bits, class Level>
FOLDLINE_HOST_DEVICE void add_levels(const Level& level, int levels, int exponent,
                                     ExactSum<ProductLimbs>& total) {
  for (int s = 0; s < levels; ++s, exponent -= Bits) {
    Int128 value = level(s);
    if (value == 0) continue;
    // The unit of a level may be below that of ProductLimbs; the shifted-out bits are zero, since every
    // product is a multiple of the latter.
    if (exponent < ProductLimbs::first_exponent)
      total.add(value >> (ProductLimbs::first_exponent - exponent), ProductLimbs::first_exponent);
    else
      total.add(value, exponent);
  }
}

/// Limbs for alpha times a sum of products plus beta c: 2^-3264 .. 2^3392.
using ScaledLimbs = Limbs<-3264, 208>;
static_assert(ScaledLimbs::first_exponent <= ProductLimbs::first_exponent + smallest_exponent);

FOLDLINE_HOST_DEVICE inline void add_product(double x, double y, ScaledLimbs& total) {
  const Decomposed first = decompose(x);
  const Decomposed second = decompose(y);
  total.add(first.negative != second.negative, Uint128{first.significand} * second.significand,
            first.exponent + second.exponent);
}

/// Scratch memory of rounded_entry.
struct EntryScratch {
  Natural<160> digits;
  ScaledLimbs total;
  Natural<216> magnitude;
};

/// alpha sum + beta c, rounded once. Ignores c if beta is 0.
template <class Sum>
FOLDLINE_HOST_DEVICE double rounded_entry(const Sum& sum, double alpha, double beta, double c,
                                          const FloatFormat& format, EntryScratch& numbers) {
  if (alpha == 1 && beta == 0) return rounded_sum(sum, 0.0, format, numbers.digits);
  const bool c_is_finite = beta == 0 || is_finite(c);
  if (sum.specials.any() || !c_is_finite) {
    const double result =
        (sum.specials.any() ? alpha * sum.specials.sum() : 0) + (c_is_finite ? 0 : beta * c);
    return result != result ? from_bits(canonical_nan) : result;
  }
  ScaledLimbs& total = numbers.total;
  total.clear();
  if (beta != 0) add_product(beta, c, total);
  const auto [negative, exponent] = sum.magnitude(numbers.digits);
  const Decomposed factor = decompose(alpha);
  for (int i = 0; i < numbers.digits.size; ++i)
    total.add(negative != factor.negative, Uint128{numbers.digits.digit[i]} * factor.significand,
              exponent + 32 * i + factor.exponent);
  const SignedDigits digits = magnitude_of(total.words(), ScaledLimbs::count, numbers.magnitude);
  if (numbers.magnitude.is_zero()) return 0;
  return round(digits.negative,
               leading_bits(numbers.magnitude, ScaledLimbs::first_exponent + 32 * digits.skipped), format);
}

}  // namespace foldline
