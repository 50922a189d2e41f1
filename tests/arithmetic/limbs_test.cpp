// Limbs against GMP: every place, carries that wait, and what comes from outside.
#include "arithmetic/limbs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

template <class L>
L empty() {
  L limbs;
  limbs.clear();
  return limbs;
}

/// The value stays, and each word but the last is a digit.
template <class L>
void expect_normalises(L limbs, const mpz_class& value) {
  limbs.normalise();
  ASSERT_EQ(big::of_limbs(limbs), value);
  ASSERT_TRUE(limbs.is_normalised());
  for (int i = 0; i < L::count - 1; ++i) ASSERT_EQ(limbs.words()[i] >> 32, 0);
}

TEST(Limbs, SumsOfDoubles) {
  inputs::Random random(1);
  for (int kind = 0; kind < inputs::kinds; ++kind)
    for (int round = 0; round < 100; ++round) {
      auto limbs = empty<SumLimbs>();
      mpz_class sum = 0;
      for (const double x : inputs::vector(random, kind, random.between(1, 200))) {
        limbs.add(x);
        sum += big::of_double(x);
      }
      ASSERT_EQ(big::of_limbs(limbs), sum);
      expect_normalises(limbs, sum);
    }
}

template <class L>
void check_every_place() {
  inputs::Random random(2);
  constexpr int end = L::first_exponent + 32 * L::count;
  for (int exponent = L::first_exponent; exponent < end; ++exponent) {
    auto limbs = empty<L>();
    mpz_class sum = 0;
    for (int i = 0; i < 6; ++i) {
      // What does not reach past the end.
      const int room = std::min(end - exponent, 128);
      Uint128 magnitude = i == 0 ? ~Uint128{0} : random.wide_word();
      if (room < 128) magnitude &= (Uint128{1} << room) - 1;
      const bool negative = random.coin();
      limbs.add(negative, magnitude, exponent);
      if (negative)
        sum -= big::scaled(magnitude, exponent);
      else
        sum += big::scaled(magnitude, exponent);
    }
    ASSERT_EQ(big::of_limbs(limbs), sum) << exponent;
  }
}
TEST(Limbs, EveryPlaceOfSums) { check_every_place<SumLimbs>(); }
TEST(Limbs, EveryPlaceOfProducts) { check_every_place<ProductLimbs>(); }

TEST(Limbs, Integers) {
  for (const std::int64_t value :
       {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), std::int64_t{-1},
        std::int64_t{0}})
    for (int exponent = SumLimbs::first_exponent; exponent < 1024; exponent += 7) {
      auto limbs = empty<SumLimbs>();
      limbs.add(value, exponent);
      ASSERT_EQ(big::of_limbs(limbs), big::scaled(value, exponent));
    }
}

TEST(Limbs, Merge) {
  inputs::Random random(3);
  for (int round = 0; round < 200; ++round) {
    auto limbs = empty<SumLimbs>(), other = empty<SumLimbs>();
    mpz_class sum = 0;
    for (const double x : inputs::vector(random, round % inputs::kinds, 50)) {
      (random.coin() ? limbs : other).add(x);
      sum += big::of_double(x);
    }
    if (random.coin()) limbs.normalise();
    if (random.coin()) other.normalise();
    limbs.merge(other);
    ASSERT_EQ(big::of_limbs(limbs), sum);
  }
}

TEST(Limbs, CarriesAreMadeBeforeAWordOverflows) {
  for (const bool negative : {false, true}) {
    auto limbs = empty<SumLimbs>();
    mpz_class sum = 0;
    for (int exponent = -1088; exponent <= -960; exponent += 32) {
      limbs.add(negative, ~Uint128{0}, exponent);
      sum += big::scaled(~Uint128{0}, exponent);
    }
    // 2^100 times as many additions as a word of 32 bits takes.
    for (int i = 0; i < 100; ++i) {
      const SumLimbs copy = limbs;
      limbs.merge(copy);
      sum *= 2;
    }
    ASSERT_EQ(big::of_limbs(limbs), negative ? -sum : sum);
  }
}

TEST(Limbs, AllOfTheLargestTermsFit) {
  constexpr double largest = std::numeric_limits<double>::max();
  for (const double x : {largest, -largest}) {
    auto limbs = empty<SumLimbs>();
    limbs.add(x);
    mpz_class sum = big::of_double(x);
    for (int i = 0; i < 63; ++i) {
      const SumLimbs copy = limbs;
      limbs.merge(copy);
      sum *= 2;
    }
    ASSERT_EQ(big::of_limbs(limbs), sum);
    expect_normalises(limbs, sum);
  }
}

TEST(Limbs, WhatIsNotNormalised) {
  for (int i = 0; i < SumLimbs::count; ++i)
    for (const std::int64_t word :
         {std::int64_t{-1}, std::int64_t{1} << 32, std::numeric_limits<std::int64_t>::min()}) {
      auto limbs = empty<SumLimbs>();
      ASSERT_TRUE(limbs.is_normalised());
      limbs.words()[i] = word;
      ASSERT_EQ(limbs.is_normalised(), i == SumLimbs::count - 1 && word == -1) << i << ' ' << word;
    }
}

}  // namespace
