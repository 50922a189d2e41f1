// A running sum, rounded after every term, against GMP and MPFR.
#include "arithmetic/exact_prefix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

/// All that a prefix says of itself.
void expect_is(const ExactPrefix& prefix, const mpz_class& value) {
  ASSERT_EQ(prefix.is_zero(), value == 0);
  ASSERT_EQ(prefix.is_integer(), mpz_divisible_2exp_p(value.get_mpz_t(), -big::unit) != 0);
  ASSERT_LE(abs(value), big::two_to(prefix.bound() - big::unit));
  if (value != 0) {
    for (const FloatFormat& format : inputs::formats)
      ASSERT_EQ(bits_of(prefix.rounded(format)), big::rounded(value, big::unit, format)) << format.precision;
  }
}

std::uint64_t floor_of_quotient(const mpz_class& value, int exponent) {
  mpz_class quotient, word;
  mpz_fdiv_q_2exp(quotient.get_mpz_t(), value.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent - big::unit));
  mpz_fdiv_r_2exp(word.get_mpz_t(), quotient.get_mpz_t(), 64);
  return word.get_ui();
}

TEST(ExactPrefix, EveryPrefixOfDoubles) {
  inputs::Random random(1);
  for (int kind = 0; kind < inputs::kinds; ++kind)
    for (int round = 0; round < 30; ++round) {
      ExactPrefix prefix;
      mpz_class sum = 0;
      for (const double x : inputs::vector(random, kind, 60)) {
        prefix.add(x);
        sum += big::of_double(x);
        expect_is(prefix, sum);
        const int exponent = random.between(ExactPrefix::first_exponent, 1080);
        ASSERT_EQ(static_cast<std::uint64_t>(prefix.floor_of_quotient(exponent)),
                  floor_of_quotient(sum, exponent));
      }
    }
}

TEST(ExactPrefix, CarriesGoAllTheWay) {
  constexpr double least = std::numeric_limits<double>::denorm_min(),
                   most = std::numeric_limits<double>::max();
  for (const double sign : {1.0, -1.0}) {
    ExactPrefix prefix;
    mpz_class sum = 0;
    for (const double x : {most, -least, least, least, -most, -least, -least, least, most, -most}) {
      prefix.add(sign * x);
      sum += big::of_double(sign * x);
      expect_is(prefix, sum);
    }
    ASSERT_TRUE(prefix.is_zero());
  }
}

TEST(ExactPrefix, SumsFarBeyondDoubles) {
  inputs::Random random(2);
  SumLimbs limbs;
  limbs.clear();
  limbs.add(std::numeric_limits<double>::max());
  mpz_class sum = big::of_double(std::numeric_limits<double>::max());
  for (int i = 0; i < 63; ++i) {
    const SumLimbs copy = limbs;
    limbs.merge(copy);
    sum *= 2;
  }
  for (const bool negative : {false, true}) {
    ExactPrefix prefix;
    prefix.assign([&](int i) { return negative ? -limbs.words()[i] : limbs.words()[i]; });
    mpz_class value = negative ? -sum : sum;
    expect_is(prefix, value);
    for (int i = 0; i < 50; ++i) {
      const double x = random.finite();
      prefix.add(x);
      value += big::of_double(x);
      expect_is(prefix, value);
    }
  }
}

TEST(ExactPrefix, Integers) {
  inputs::Random random(3);
  for (int round = 0; round < 200; ++round) {
    ExactPrefix prefix;
    mpz_class sum = 0;
    for (int i = 0; i < 20; ++i) {
      auto value = static_cast<Int128>(random.wide_word() >> 2);
      if (random.coin()) value = -value;
      prefix.add_integer(value);
      sum += big::scaled(value, 0);
      expect_is(prefix, sum);
    }
  }
}

TEST(ExactPrefix, SumsAndLimbsWhoseCarriesWait) {
  inputs::Random random(4);
  for (int round = 0; round < 500; ++round) {
    ExactSum<SumLimbs> sum;
    mpz_class value = 0;
    for (const double x : inputs::vector(random, round % inputs::kinds, random.between(1, 40))) {
      sum.limbs().add(x);
      value += big::of_double(x);
    }
    ExactPrefix assigned, added;
    assigned.assign([&](int i) { return sum.limbs().words()[i]; });
    expect_is(assigned, value);
    const double before = random.finite();
    added.add(before);
    added.add(sum);
    expect_is(added, value + big::of_double(before));
  }
}

}  // namespace
