#include "big.hpp"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace big {

namespace {

/// An MPFR number of a precision.
class Number {
 public:
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Number(const mpz_class& integer, int exponent)
      : Number(static_cast<mpfr_prec_t>(std::max<std::size_t>(mpz_sizeinbase(integer.get_mpz_t(), 2), 2))) {
    mpfr_set_z_2exp(value_, integer.get_mpz_t(), exponent, MPFR_RNDN);  // exact
  }
  ~Number() { mpfr_clear(value_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// The range of MPFR's exponents, for as long as this lives.
class ExponentRange {
 public:
  explicit ExponentRange(const FloatFormat& format) {
    mpfr_set_emin(format.min_exponent + 1);  // MPFR's significands are below 1
    mpfr_set_emax(format.max_exponent);
  }
  ~ExponentRange() {
    mpfr_set_emin(least_);
    mpfr_set_emax(most_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t least_ = mpfr_get_emin(), most_ = mpfr_get_emax();
};

/// What was rounded to the format's precision, and which way, as one rounding to the format itself.
std::uint64_t finish(Number& result, int direction, const FloatFormat& format) {
  const ExponentRange range(format);
  direction = mpfr_check_range(result.get(), direction, MPFR_RNDN);
  mpfr_subnormalize(result.get(), direction, MPFR_RNDN);
  return std::bit_cast<std::uint64_t>(mpfr_get_d(result.get(), MPFR_RNDN));  // exact
}

}  // namespace

mpz_class integer(std::uint64_t value) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), 1, 1, sizeof value, 0, 0, &value);
  return result;
}
mpz_class integer(std::int64_t value) { return integer(static_cast<Int128>(value)); }
mpz_class integer(Uint128 value) {
  return integer(static_cast<std::uint64_t>(value >> 64)) * two_to(64) +
         integer(static_cast<std::uint64_t>(value));
}
mpz_class integer(Int128 value) {
  return integer(static_cast<Uint128>(value)) - (value < 0 ? two_to(128) : mpz_class(0));
}
mpz_class two_to(int exponent) {
  mpz_class result;
  mpz_setbit(result.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent));
  return result;
}
mpz_class of_double(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return scaled(static_cast<std::int64_t>(std::ldexp(fraction, 53)), exponent - 53);
}
mpz_class of_words(const std::int64_t* word, int count, int first) {
  mpz_class result = 0;
  for (int i = count - 1; i >= 0; --i) result = result * two_to(32) + integer(word[i]);
  return result * two_to(first - unit);
}

std::uint64_t rounded(const mpz_class& value, int exponent, const FloatFormat& format) {
  Number exact(value, exponent), result(format.precision);
  const int direction = mpfr_set(result.get(), exact.get(), MPFR_RNDN);
  return finish(result, direction, format);
}
std::uint64_t rounded_quotient(const mpz_class& numerator, const mpz_class& denominator, int exponent,
                               const FloatFormat& format) {
  Number dividend(numerator, exponent), divisor(denominator, 0), result(format.precision);
  const int direction = mpfr_div(result.get(), dividend.get(), divisor.get(), MPFR_RNDN);
  return finish(result, direction, format);
}
std::uint64_t rounded_root(const mpz_class& value, int exponent, const FloatFormat& format) {
  Number square(value, exponent), result(format.precision);
  const int direction = mpfr_sqrt(result.get(), square.get(), MPFR_RNDN);
  return finish(result, direction, format);
}

}  // namespace big
