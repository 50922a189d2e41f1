// Bounds of sums of levels against GMP: the number lies within them, and a result that is called certain is
// right.
#include "arithmetic/slice_levels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

mpz_class least(const Bounds& bounds) { return big::scaled(bounds.least, bounds.exponent); }
mpz_class most(const Bounds& bounds) { return big::scaled(bounds.most, bounds.exponent); }

/// Zero is +0.
std::uint64_t rounded_by_mpfr(const mpz_class& value, const FloatFormat& format) {
  return value == 0 ? 0 : big::rounded(value, big::unit, format);
}

void expect_right_if_certain(const Bounds& bounds, const mpz_class& value, int& certain) {
  for (const FloatFormat& format : inputs::formats) {
    const RoundingAttempt entry = rounded(bounds, format);
    if (!entry.is_certain) continue;
    ++certain;
    ASSERT_EQ(bits_of(entry.value), rounded_by_mpfr(value, format));
  }
}

TEST(SliceLevels, ShiftsAndLengths) {
  inputs::Random random(1);
  for (int i = 0; i < 5000; ++i) {
    auto x = static_cast<Int128>(random.wide_word() >> 1);
    if (random.coin()) x = -x;
    const int shift = random.between(0, 200);
    mpz_class floor, ceiling;
    mpz_fdiv_q_2exp(floor.get_mpz_t(), big::integer(x).get_mpz_t(), static_cast<mp_bitcnt_t>(shift));
    mpz_cdiv_q_2exp(ceiling.get_mpz_t(), big::integer(x).get_mpz_t(), static_cast<mp_bitcnt_t>(shift));
    ASSERT_EQ(big::integer(shifted_down(x, shift)), floor);
    ASSERT_EQ(big::integer(shifted_down_up(x, shift)), ceiling);
    ASSERT_EQ(bit_length(x), x == 0 ? 0 : static_cast<int>(mpz_sizeinbase(big::integer(x).get_mpz_t(), 2)));
  }
  EXPECT_EQ(bit_length(static_cast<Int128>(Uint128{1} << 127)), 128);
}

template <int Bits, int Leading>
void check_levels(std::uint64_t seed) {
  inputs::Random random(seed);
  int certain = 0;
  for (int round = 0; round < 20000; ++round) {
    std::int64_t level[12];
    const int levels = random.between(Leading, 12);
    const int exponent = random.between(-1000, 900);
    const int shift = random.between(2, 60);  // |level| < 2^62
    mpz_class sum = 0;
    for (int s = 0; s < levels; ++s) {
      level[s] = random.between(0, 3) == 0 ? 0 : static_cast<std::int64_t>(random.word() >> shift);
      if (random.coin()) level[s] = -level[s];
      sum += big::scaled(level[s], exponent - s * Bits);
    }
    // Something is missing in half of the cases: as much as is said, either way.
    const auto left_out =
        random.coin() ? Int128{0} : static_cast<Int128>(random.word() >> random.between(0, 60));
    const auto missing = random.coin() ? left_out : -left_out;
    sum += big::scaled(missing, exponent - Bits * (Leading - 1));
    const Bounds bounds =
        bounds_of_levels<Bits, Leading>([&](int s) { return level[s]; }, levels, exponent, left_out);
    ASSERT_LE(least(bounds), sum);
    ASSERT_GE(most(bounds), sum);
    ASSERT_LE(bounds.most - bounds.least, 2 * left_out + 1);
    if (left_out == 0 && levels == Leading) {
      ASSERT_TRUE(bounds.least == bounds.most);
    }
    expect_right_if_certain(bounds, sum, certain);
  }
  EXPECT_GT(certain, 20000);
}
TEST(SliceLevels, OfEightBits) { check_levels<8, 9>(2); }
TEST(SliceLevels, OfSevenBits) { check_levels<7, 9>(3); }
TEST(SliceLevels, OfSixteenBits) { check_levels<16, 5>(4); }
TEST(SliceLevels, OfTwentyBits) { check_levels<20, 4>(5); }

TEST(SliceLevels, BoundsAroundATieTellNothing) {
  for (const FloatFormat& format : inputs::formats) {
    const Int128 tie =
        (Int128{1} << (format.precision + 20)) + (Int128{1} << 20);  // half a unit above a power of two
    const int at = -format.precision - 20;
    EXPECT_TRUE(rounded(Bounds{tie, tie, at}, format).is_certain);
    EXPECT_FALSE(rounded(Bounds{tie, tie + 1, at}, format).is_certain);
    EXPECT_TRUE(rounded(Bounds{tie + 1, tie + 2, at}, format).is_certain);
    EXPECT_TRUE(rounded(Bounds{tie - 2, tie, at}, format).is_certain);
  }
  EXPECT_FALSE(rounded(Bounds{-1, 1, 0}, format_of_double).is_certain);
  EXPECT_FALSE(rounded(Bounds{0, 1, -2000}, format_of_double).is_certain);
  EXPECT_TRUE(rounded(Bounds{0, 0, 0}, format_of_double).is_certain);
}

TEST(SliceLevels, ScaledAndAdded) {
  inputs::Random random(6);
  int certain = 0;
  for (int round = 0; round < 20000; ++round) {
    auto from = static_cast<Int128>(random.wide_word() >> 3);
    if (random.between(0, 9) == 0) from = 0;
    if (random.coin()) from = -from;
    const auto width =
        random.coin() ? Int128{0} : static_cast<Int128>(random.word() >> random.between(0, 63));
    const Bounds x{from, from + width, random.between(-300, 200)};
    const auto number = [&] {
      return random.between(0, 9) == 0 ? 0.0 : random.finite(1023 - 150, 1023 + 150);
    };
    const double factor = number(), p = number(), q = number();
    const Bounds bounds = scaled_and_added(x, factor, p, q);
    const int at = 2 * big::unit;  // products of what is in units
    const mpz_class added = big::of_double(p) * big::of_double(q);
    for (const mpz_class& value : {least(x), most(x)}) {
      const mpz_class exact = value * big::of_double(factor) + added;
      ASSERT_LE(least(bounds) * big::two_to(-big::unit), exact) << round;
      ASSERT_GE(most(bounds) * big::two_to(-big::unit), exact) << round;
      for (const FloatFormat& format : inputs::formats) {
        const RoundingAttempt entry = rounded(bounds, format);
        if (!entry.is_certain) continue;
        ++certain;
        ASSERT_EQ(bits_of(entry.value), exact == 0 ? 0 : big::rounded(exact, at, format));
      }
    }
  }
  EXPECT_GT(certain, 10000);
}

}  // namespace
