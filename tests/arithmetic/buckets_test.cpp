// Buckets against GMP: of every exponent, so full that they overflow, and terms that are not theirs to keep.
#include "arithmetic/buckets.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "arithmetic/exact_sum.hpp"
#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

template <class L>
mpz_class value_of(ExactSum<L> sum) {
  return big::of_limbs(sum.limbs());
}

template <class Buckets>
std::unique_ptr<Buckets> cleared() {
  auto buckets = std::make_unique<Buckets>();
  buckets->clear();
  return buckets;
}

TEST(SumBuckets, EveryExponent) {
  inputs::Random random(1);
  const auto buckets = cleared<SumBuckets>();
  for (int round = 0; round < 20; ++round) {
    ExactSum<SumLimbs> sum;
    mpz_class expected = 0;
    for (int field = 1; field < infinite_field; ++field)
      for (int i = 0; i < 3; ++i) {
        const double x = random.finite(field, field);
        buckets->add(x, sum);
        expected += big::of_double(x);
      }
    ASSERT_FALSE(buckets->take_unusual());
    buckets->move_to(sum);
    ASSERT_EQ(value_of(sum), expected);
  }
}

TEST(SumBuckets, OverflowGoesToTheSum) {
  const auto buckets = cleared<SumBuckets>();
  for (const int field : {1, 2, 1023, infinite_field - 1})
    for (const std::uint64_t sign : {std::uint64_t{0}, sign_bit}) {
      const double x = from_bits(sign | static_cast<std::uint64_t>(field) << 52 | (hidden_bit - 1));
      ExactSum<SumLimbs> sum;
      constexpr int terms = 10000;  // a bucket holds 2048
      for (int i = 0; i < terms; ++i) buckets->add(x, sum);
      buckets->move_to(sum);
      ASSERT_EQ(value_of(sum), big::of_double(x) * terms) << field;
    }
}

TEST(SumBuckets, AllAsFullAsCanBe) {
  const auto buckets = cleared<SumBuckets>();
  for (const std::uint64_t sign : {std::uint64_t{0}, sign_bit}) {
    ExactSum<SumLimbs> sum;
    mpz_class expected = 0;
    for (int field = 1; field < infinite_field; ++field) {
      const double x = from_bits(sign | static_cast<std::uint64_t>(field) << 52 | (hidden_bit - 1));
      for (int i = 0; i < 2048; ++i) buckets->add(x, sum);
      expected += big::of_double(x) * 2048;
    }
    ASSERT_EQ(value_of(sum), 0) << "2048 terms fit";
    buckets->move_to(sum);
    ASSERT_EQ(value_of(sum), expected);
  }
}

TEST(SumBuckets, UnusualTermsAreNoticedAndForgotten) {
  const double unusual[] = {0.0,
                            -0.0,
                            from_bits(1),
                            from_bits(sign_bit | (hidden_bit - 1)),
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            from_bits(canonical_nan),
                            from_bits(~std::uint64_t{0})};
  const auto buckets = cleared<SumBuckets>();
  for (const double x : unusual) {
    ExactSum<SumLimbs> sum;
    for (int i = 0; i < 1 << 11; ++i) buckets->add(x, sum);
    buckets->add(1.5, sum);
    ASSERT_TRUE(buckets->take_unusual()) << x;
    ASSERT_FALSE(buckets->take_unusual());
    buckets->move_to(sum);
    ASSERT_EQ(value_of(sum), big::of_double(1.5)) << x;
  }
}

TEST(ProductBuckets, EveryPlaceAsFullAsCanBe) {
  inputs::Random random(2);
  constexpr std::int64_t most_high = (std::int64_t{1} << 57) - 1, most_low = std::int64_t{1} << 56;
  const auto buckets = cleared<ProductBuckets>();
  for (int round = 0; round < 8; ++round) {
    ExactSum<ProductLimbs> sum;
    mpz_class expected = 0;
    // Sums of two fields from 1 to 2046, four a bucket.
    for (std::size_t place = 0; place <= 2 * 2046 / 4; ++place) {
      const int unit = 4 * static_cast<int>(place) - 2 * 1023 - 52;
      for (int i = 0; i < 32; ++i) {
        const int way = random.between(0, 3);
        std::int64_t high = way == 0 ? most_high : static_cast<std::int64_t>(random.bits() >> 7);
        std::int64_t low = way == 0 ? most_low : static_cast<std::int64_t>(random.bits() >> 8);
        if (round % 3 == 1 || (round % 3 == 2 && random.coin())) high = -high;
        if (round % 3 == 1 || (round % 3 == 2 && random.coin())) low = -low;
        buckets->at(place)[0] += static_cast<std::uint64_t>(high);
        buckets->at(place)[1] += static_cast<std::uint64_t>(low);
        expected += big::scaled(high, unit) + big::scaled(low, unit - 52);
        // Out of range shows in the highest bit.
        if (((buckets->at(place)[0] | buckets->at(place)[1]) >> 63) != 0) buckets->reset(place, sum);
      }
    }
    buckets->move_to(sum);
    ASSERT_EQ(value_of(sum), expected);
  }
}

}  // namespace
