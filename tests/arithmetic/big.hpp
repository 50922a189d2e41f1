// The numbers of src/arithmetic as GMP's integers, and rounding by MPFR. Shares no code with what it checks:
// of the headers under test it takes types only.
#pragma once

#include <gmpxx.h>

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"
#include "arithmetic/natural.hpp"

namespace big {

using foldline::FloatFormat;
using foldline::Int128;
using foldline::Uint128;

/// Numbers with a binary point are integers of 2^unit here, below all that is ever added.
constexpr int unit = -2400;

mpz_class integer(Uint128 value);
mpz_class integer(Int128 value);
mpz_class integer(std::uint64_t value);
mpz_class integer(std::int64_t value);
mpz_class two_to(int exponent);
/// A finite double, in units.
mpz_class of_double(double x);
/// value * 2^exponent, in units.
template <class Integer>
mpz_class scaled(Integer value, int exponent) {
  return integer(value) * two_to(exponent - unit);
}
/// The sum of word i * 2^(first + 32 i), in units.
mpz_class of_words(const std::int64_t* word, int count, int first);
template <class L>
mpz_class of_limbs(const L& limbs) {
  return of_words(limbs.words(), L::count, L::first_exponent);
}
template <int C>
mpz_class of_natural(const foldline::Natural<C>& a) {
  mpz_class result = 0;
  for (int i = a.size - 1; i >= 0; --i) result = result * two_to(32) + integer(std::uint64_t{a.digit[i]});
  return result;
}
/// A natural number that has room for the value.
template <int C>
foldline::Natural<C> to_natural(mpz_class value) {
  foldline::Natural<C> result;
  for (; value != 0; value >>= 32)
    result.digit[result.size++] = static_cast<std::uint32_t>(mpz_class(value & 0xffffffffu).get_ui());
  return result;
}

/// By MPFR, once, to nearest, ties to even, with subnormals and infinities; the bits of the double that holds
/// the result. A negative number that rounds to zero gives -0.
std::uint64_t rounded(const mpz_class& value, int exponent, const FloatFormat& format);
/// numerator / denominator * 2^exponent
std::uint64_t rounded_quotient(const mpz_class& numerator, const mpz_class& denominator, int exponent,
                               const FloatFormat& format);
/// sqrt(value * 2^exponent)
std::uint64_t rounded_root(const mpz_class& value, int exponent, const FloatFormat& format);

}  // namespace big
