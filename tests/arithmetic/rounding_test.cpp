// The one rounding against MPFR, above all close to ties and to the ends of each format.
#include "arithmetic/rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

/// Significands of `bits` bits that are a tie of a format, or beside one, or all ones: the hard ones.
std::uint64_t near_tie(inputs::Random& random, int precision, int bits) {
  const std::uint64_t kept =
      (std::uint64_t{1} << (precision - 1)) | (random.word() & ((std::uint64_t{1} << (precision - 1)) - 1));
  const int rest = bits - precision;
  if (rest <= 0) return kept;
  const std::uint64_t tie = kept << rest | std::uint64_t{1} << (rest - 1);
  return tie + static_cast<std::uint64_t>(random.between(-1, 1));
}

/// Exponents of a number of `bits` bits about the whole range of a format, half of them about its ends.
int exponent_for(inputs::Random& random, const FloatFormat& format, int bits) {
  switch (random.between(0, 3)) {
    case 0:
      return format.max_exponent - bits + random.between(-2, 2);
    case 1:
      return format.min_exponent - bits + random.between(-2, format.precision + 2);
    default:
      return random.between(format.min_exponent - 80, format.max_exponent + 10) - bits;
  }
}

TEST(Rounding, OfLeadingBits) {
  inputs::Random random(1);
  for (const FloatFormat& format : inputs::formats)
    for (int i = 0; i < 1000000; ++i) {
      const int bits = random.between(55, 64);
      const std::uint64_t significand = random.coin()
                                            ? near_tie(random, random.between(1, format.precision), bits)
                                            : std::max(random.word(), std::uint64_t{1});
      const bool sticky = significand >> 54 != 0 && random.coin();
      const bool negative = random.coin();
      const int exponent = exponent_for(random, format, 64 - leading_zeros(significand));
      mpz_class exact = big::integer(significand) * 8 + (sticky ? random.between(1, 7) : 0);
      if (negative) exact = -exact;
      ASSERT_EQ(bits_of(round(negative, {significand, exponent, sticky}, format)),
                big::rounded(exact, exponent - 3, format))
          << significand << " 2^" << exponent << " sticky " << sticky << " precision " << format.precision;
    }
}

TEST(Rounding, OfIntegersOfTwoWords) {
  inputs::Random random(2);
  for (const FloatFormat& format : inputs::formats)
    for (int i = 0; i < 100000; ++i) {
      // A tie of the format, 64 zeros or so, and perhaps one bit at the end.
      Uint128 a = random.coin()
                      ? random.wide_word()
                      : static_cast<Uint128>(near_tie(random, format.precision, 60)) << random.between(0, 67);
      if (random.coin()) a |= 1;
      if (a == 0) continue;
      const int exponent =
          exponent_for(random, format, static_cast<int>(mpz_sizeinbase(big::integer(a).get_mpz_t(), 2)));
      ASSERT_EQ(bits_of(round(false, leading_bits(a, exponent), format)),
                big::rounded(big::integer(a), exponent, format));
    }
}

constexpr int long_capacity = 160;

/// Of up to 70 digits: a tie of the format with zeros behind it, and perhaps one bit somewhere below.
mpz_class long_number(inputs::Random& random, const FloatFormat& format) {
  mpz_class a = big::integer(near_tie(random, format.precision, random.between(format.precision, 64)));
  const int zeros = random.between(0, 32 * 68);
  a *= big::two_to(zeros);
  if (zeros > 0 && random.coin()) a += big::two_to(random.between(0, zeros - 1));
  if (random.between(0, 3) == 0) a -= 1;
  return a == 0 ? mpz_class(1) : a;
}
int bits_in(const mpz_class& a) { return static_cast<int>(mpz_sizeinbase(a.get_mpz_t(), 2)); }

TEST(Rounding, OfLongIntegers) {
  inputs::Random random(3);
  for (const FloatFormat& format : inputs::formats)
    for (int i = 0; i < 20000; ++i) {
      const mpz_class a = long_number(random, format);
      const int exponent = exponent_for(random, format, bits_in(a));
      ASSERT_EQ(bits_of(round(true, leading_bits(big::to_natural<long_capacity>(a), exponent), format)),
                big::rounded(-a, exponent, format));
    }
}

TEST(Rounding, FloorOfARoot) {
  inputs::Random random(4);
  const auto check = [](Uint128 a) {
    const SquareRoot found = square_root(a);
    mpz_class root, rest;
    mpz_sqrtrem(root.get_mpz_t(), rest.get_mpz_t(), big::integer(a).get_mpz_t());
    ASSERT_EQ(big::integer(found.floor), root);
    ASSERT_EQ(found.exact, rest == 0);
  };
  check(~Uint128{0});
  check(Uint128{1} << 126);
  for (int i = 0; i < 100000; ++i) {
    const Uint128 root = random.word() | std::uint64_t{1} << 63;
    const Uint128 square = root * root;
    check(square);
    check(square + 1);
    check(square + 2 * root);  // one below the next square
    if (square - 1 >= Uint128{1} << 126) check(square - 1);
    check(random.wide_word() | Uint128{1} << random.between(126, 127));
  }
}

TEST(Rounding, OfRoots) {
  inputs::Random random(5);
  for (const FloatFormat& format : inputs::formats)
    for (int i = 0; i < 20000; ++i) {
      mpz_class a = long_number(random, format);
      if (random.coin()) {  // whose root is a tie, or beside one
        a = big::integer(near_tie(random, format.precision, format.precision + 1));
        a = a * a * big::two_to(2 * random.between(0, 400)) + random.between(-1, 1);
      }
      const int exponent =
          std::clamp(2 * exponent_for(random, format, 0) - bits_in(a) + random.between(0, 1), -4000, 3000);
      ASSERT_EQ(bits_of(round(false, leading_root(big::to_natural<long_capacity>(a), exponent), format)),
                big::rounded_root(a, exponent, format))
          << a << " 2^" << exponent;
    }
}

TEST(Rounding, OfQuotientsByWords) {
  inputs::Random random(6);
  for (const FloatFormat& format : inputs::formats)
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t d1 = std::max(random.word(), std::uint64_t{1});
      const std::uint64_t d2 = random.coin() ? 1 : std::max(random.word(), std::uint64_t{1});
      const mpz_class divisor = big::integer(d1) * big::integer(d2);
      mpz_class a = long_number(random, format);
      // A multiple of the divisor gives a tie; one more or less is beside it.
      if (random.coin()) a = a * divisor + random.between(-1, 1);
      if (a == 0) continue;
      const int exponent = exponent_for(random, format, bits_in(a) - bits_in(divisor));
      auto dividend = big::to_natural<long_capacity>(a);
      ASSERT_EQ(bits_of(round(false, leading_quotient(dividend, exponent, d1, d2), format)),
                big::rounded_quotient(a, divisor, exponent, format))
          << a << " / " << divisor;
    }
}

TEST(Rounding, OfQuotientsOfLongIntegers) {
  inputs::Random random(7);
  for (const FloatFormat& format : inputs::formats)
    for (int i = 0; i < 20000; ++i) {
      const mpz_class divisor = long_number(random, format);
      mpz_class a = long_number(random, format);
      if (random.coin())
        a = big::integer(near_tie(random, format.precision, 60)) * divisor + random.between(-1, 1);
      const int exponent = exponent_for(random, format, bits_in(a) - bits_in(divisor));
      auto dividend = big::to_natural<long_capacity>(a), by = big::to_natural<long_capacity>(divisor);
      ASSERT_EQ(bits_of(round(false, leading_quotient(dividend, by, exponent), format)),
                big::rounded_quotient(a, divisor, exponent, format))
          << a << " / " << divisor;
    }
}

}  // namespace
