// Exact sums against GMP, in their short and their long form, and what infinities and NaN come to.
#include "arithmetic/exact_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

template <class L>
void expect_value(const ExactSum<L>& sum, const mpz_class& expected) {
  Natural<160> magnitude;
  const auto found = sum.magnitude(magnitude);
  mpz_class value = big::of_natural(magnitude) * big::two_to(found.exponent - big::unit);
  if (found.negative) value = -value;
  ASSERT_EQ(value, expected);
}

Int128 any_integer(inputs::Random& random) {
  switch (random.between(0, 9)) {
    case 0:
      return static_cast<Int128>(Uint128{1} << 127);  // the lowest
    case 1:
      return static_cast<Int128>(~Uint128{0} >> 1);  // the highest
    case 2:
      return 0;
    default: {
      const auto magnitude = static_cast<Int128>(random.wide_word() >> 1);
      return random.coin() ? -magnitude : magnitude;
    }
  }
}

template <class L>
void check_sums(std::uint64_t seed) {
  inputs::Random random(seed);
  constexpr int highest = L::first_exponent + 32 * L::count - 160;  // no total leaves the range
  for (int round = 0; round < 3000; ++round) {
    ExactSum<L> part[3];
    mpz_class value[3];
    for (int i = 0; i < 3; ++i)
      for (int terms = random.between(0, 4); terms > 0; --terms) {
        const Int128 integer = any_integer(random);
        const int exponent = random.between(L::first_exponent, highest);
        part[i].add(integer, exponent);
        value[i] += big::scaled(integer, exponent);
        if (random.between(0, 9) == 0) {  // and back to zero
          part[i].add(integer == static_cast<Int128>(Uint128{1} << 127) ? integer : -integer, exponent);
          value[i] += integer == static_cast<Int128>(Uint128{1} << 127)
                          ? big::scaled(integer, exponent)
                          : mpz_class(-big::scaled(integer, exponent));
        }
      }
    for (int i = 0; i < 3; ++i) expect_value(part[i], value[i]);
    part[0].merge(part[1]);
    part[0].merge(part[2]);
    expect_value(part[0], value[0] + value[1] + value[2]);
    part[0].limbs();
    expect_value(part[0], value[0] + value[1] + value[2]);
  }
}
TEST(ExactSum, OfSums) { check_sums<SumLimbs>(1); }
TEST(ExactSum, OfProducts) { check_sums<ProductLimbs>(2); }

TEST(ExactSum, ShortFormUntilTheSecondTerm) {
  ExactSum<SumLimbs> sum;
  EXPECT_FALSE(sum.is_compact());
  sum.add(0, 5);
  EXPECT_FALSE(sum.is_compact());
  sum.add(-7, 5);
  ASSERT_TRUE(sum.is_compact());
  Uint128 magnitude = 0;
  const auto found = sum.compact_magnitude(magnitude);
  EXPECT_TRUE(found.negative);
  EXPECT_EQ(found.exponent, 5);
  EXPECT_TRUE(magnitude == 7);
  sum.add(7, 5);
  EXPECT_FALSE(sum.is_compact());
  expect_value(sum, 0);
}

TEST(ExactSum, Specials) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double special[] = {infinity, -infinity, from_bits(canonical_nan), from_bits(infinity_bits | 1),
                            from_bits(~std::uint64_t{0})};
  EXPECT_FALSE(Specials().any());
  // All sets of three, counted in two parts.
  for (const double a : special)
    for (const double b : special)
      for (const double c : special) {
        Specials counted, others;
        counted.count(a);
        others.count(b);
        others.count(c);
        counted.merge(others);
        ASSERT_TRUE(counted.any());
        const double expected = a + b + c;
        if (std::isnan(expected)) {
          ASSERT_EQ(bits_of(counted.sum()), 0x7ff8000000000000u);
        } else {
          ASSERT_EQ(counted.sum(), expected);
        }
      }
}

}  // namespace
