// Natural numbers against GMP.
#include "arithmetic/natural.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

constexpr int capacity = 80;
using Number = Natural<capacity>;

/// Of at most so many digits: of random ones, all ones, or a power of two.
mpz_class any(inputs::Random& random, int digits) {
  const int bits = random.between(0, 32 * digits);
  mpz_class value = 0;
  switch (random.between(0, 3)) {
    case 0:
      return big::two_to(bits) - 1;
    case 1:
      return bits == 32 * digits ? mpz_class(0) : big::two_to(bits);
    default:
      for (int i = 0; i < digits; i += 2) value = value * big::two_to(64) + big::integer(random.word());
      return mpz_class(value % big::two_to(bits));
  }
}

/// The highest digit is not zero.
void expect_trimmed(const Number& a) { ASSERT_TRUE(a.size == 0 || a.digit[a.size - 1] != 0); }

TEST(Natural, OfWords) {
  inputs::Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Uint128 value = random.wide_word();
    const auto a = natural_of<capacity>(value);
    ASSERT_EQ(big::of_natural(a), big::integer(value));
    expect_trimmed(a);
  }
  EXPECT_TRUE(natural_of<capacity>(0).is_zero());
  EXPECT_EQ(natural_of<capacity>(0).bit_length(), 0);
}

TEST(Natural, Arithmetic) {
  inputs::Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const mpz_class x = any(random, 32), y = random.between(0, 9) == 0 ? x : any(random, 32);
    const auto a = big::to_natural<capacity>(x), b = big::to_natural<capacity>(y);
    ASSERT_EQ(a.bit_length(), x == 0 ? 0 : static_cast<int>(mpz_sizeinbase(x.get_mpz_t(), 2)));
    ASSERT_EQ(compare(a, b), sgn(mpz_class(x - y)));

    Number difference = x >= y ? a : b;
    subtract(difference, x >= y ? b : a);
    ASSERT_EQ(big::of_natural(difference), abs(mpz_class(x - y)));
    expect_trimmed(difference);

    Number product;
    multiply(a, b, product);
    ASSERT_EQ(big::of_natural(product), x * y);
    expect_trimmed(product);

    const int bits = random.between(0, 32 * 32);
    Number shifted = a;
    shift_up(shifted, bits);
    ASSERT_EQ(big::of_natural(shifted), x * big::two_to(bits));
    expect_trimmed(shifted);
  }
}

TEST(Natural, Division) {
  inputs::Random random(3);
  for (int i = 0; i < 20000; ++i) {
    const mpz_class x = any(random, 70);
    const std::uint64_t divisor = std::max(random.word(), std::uint64_t{1});
    auto quotient = big::to_natural<capacity>(x);
    const std::uint64_t remainder = divide(quotient, divisor);
    ASSERT_EQ(big::of_natural(quotient), x / big::integer(divisor)) << divisor;
    ASSERT_EQ(big::integer(remainder), x % big::integer(divisor)) << divisor;
    expect_trimmed(quotient);
  }
}

TEST(Natural, MagnitudeOfWordsWhoseCarriesWait) {
  inputs::Random random(4);
  for (int i = 0; i < 20000; ++i) {
    std::int64_t word[12] = {};
    const int first = random.between(0, 11), last = random.between(first, 11);
    const int shift = random.between(1, 40);
    for (int k = first; k <= last; ++k) word[k] = static_cast<std::int64_t>(random.word()) >> shift;
    if (random.coin()) word[last] = random.coin() ? -1 : 0;
    Number magnitude;
    const SignedDigits digits = magnitude_of(word, 12, magnitude);
    const mpz_class value = big::of_words(word, 12, 0) / big::two_to(-big::unit);
    ASSERT_EQ(big::of_natural(magnitude) * big::two_to(32 * digits.skipped), abs(value));
    ASSERT_EQ(digits.negative, value < 0);
    expect_trimmed(magnitude);
  }
}

}  // namespace
