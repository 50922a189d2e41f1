// Integers of 128 and 192 bits, and sums of doubles with their errors.
#include <gtest/gtest.h>

#include <cmath>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/int128.hpp"
#include "arithmetic/int192.hpp"
#include "arithmetic/one_lane.hpp"
#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

/// The value in two's complement, of -2^191 .. 2^191 - 1.
mpz_class value_of(const Int192& a) {
  mpz_class value = big::integer(a.word[0]) + big::integer(a.word[1]) * big::two_to(64) +
                    big::integer(a.word[2]) * big::two_to(128);
  if (a.word[2] >> 63 != 0) value -= big::two_to(192);
  return value;
}
/// The number of that range with the same remainder by 2^192.
mpz_class wrapped(mpz_class value) {
  mpz_fdiv_r_2exp(value.get_mpz_t(), value.get_mpz_t(), 192);
  return value >= big::two_to(191) ? mpz_class(value - big::two_to(192)) : value;
}
Int192 any_int192(inputs::Random& random) { return {random.word(), random.word(), random.word()}; }

TEST(Int128, MagnitudeAndLength) {
  inputs::Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const Uint128 bits = random.wide_word();
    const auto x = static_cast<Int128>(bits);
    const mpz_class expected = abs(big::integer(x));
    ASSERT_EQ(big::integer(magnitude(x)), expected);
    ASSERT_EQ(bit_length(x), expected == 0 ? 0 : static_cast<int>(mpz_sizeinbase(expected.get_mpz_t(), 2)));
    ASSERT_EQ(bit_length(bits),
              bits == 0 ? 0 : static_cast<int>(mpz_sizeinbase(big::integer(bits).get_mpz_t(), 2)));
  }
  EXPECT_EQ(magnitude(static_cast<Int128>(Uint128{1} << 127)), Uint128{1} << 127);
}

TEST(Int192, FromIntegers) {
  inputs::Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const Uint128 bits = random.wide_word();
    ASSERT_EQ(value_of(int192_of(bits)), big::integer(bits));
    ASSERT_EQ(value_of(int192_of(static_cast<Int128>(bits))), big::integer(static_cast<Int128>(bits)));
    ASSERT_EQ(int192_of(static_cast<Int128>(bits)).is_negative(), bits >> 127 != 0);
  }
}

TEST(Int192, SumsAndDifferences) {
  inputs::Random random(3);
  for (int i = 0; i < 100000; ++i) {
    const Int192 a = any_int192(random), b = any_int192(random);
    ASSERT_EQ(value_of(a + b), wrapped(value_of(a) + value_of(b)));
    ASSERT_EQ(value_of(a - b), wrapped(value_of(a) - value_of(b)));
    Int192 sum = a;
    sum += b;
    ASSERT_EQ(value_of(sum), value_of(a + b));
  }
}

TEST(Int192, IsAddedToAnExactSum) {
  inputs::Random random(4);
  for (int i = 0; i < 10000; ++i) {
    ExactSum<ProductLimbs> sum;
    mpz_class expected = 0;
    for (int k = random.between(1, 4); k > 0; --k) {
      // Of all lengths: what fits 128 bits is added in another way.
      const Int192 term =
          random.coin() ? any_int192(random) : int192_of(static_cast<Int128>(random.wide_word()));
      sum.add(term);
      expected += value_of(term);
    }
    ASSERT_EQ(big::of_limbs(sum.limbs()), expected * big::two_to(-big::unit));
  }
}

TEST(TwoSum, IsExact) {
  inputs::Random random(5);
  for (int i = 0; i < 100000; ++i) {
    // Neither overflows.
    const double a = random.finite(0, infinite_field - 2), b = random.finite(0, infinite_field - 2);
    const auto [sum, error] = one_lane::TwoSum(a, b);
    ASSERT_EQ(sum, a + b);
    ASSERT_EQ(big::of_double(sum) + big::of_double(error), big::of_double(a) + big::of_double(b)) << a << b;
    const bool in_order = std::abs(a) >= std::abs(b);
    const auto fast = one_lane::FastTwoSum(in_order ? a : b, in_order ? b : a);
    ASSERT_EQ(fast.sum, sum);
    ASSERT_EQ(fast.error, error);
  }
}

}  // namespace
