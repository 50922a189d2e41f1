// Pairs of different element types: the types of results, layouts and environments. That values are right,
// tests/cli/mixed_types_test.py shows beside fractions.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "foldline/foldline.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace foldline;

namespace {

template <class X, class Y>
using Dot = decltype(dot(std::vector<X>(), std::vector<Y>()));
template <class X, class W>
using WeightedMean = decltype(weighted_mean(std::vector<X>(), std::vector<W>()));

static_assert(std::is_same_v<Dot<double, std::int64_t>, double>);
static_assert(std::is_same_v<Dot<std::int64_t, float>, double>);
static_assert(std::is_same_v<Dot<std::int16_t, float>, float>);
static_assert(std::is_same_v<Dot<float, std::int32_t>, double>);
static_assert(std::is_same_v<Dot<half, bfloat16>, float>);
static_assert(std::is_same_v<Dot<half, std::uint8_t>, half>);
static_assert(std::is_same_v<Dot<half, std::int16_t>, float>);
static_assert(std::is_same_v<Dot<std::uint8_t, std::uint64_t>, std::uint64_t>);
static_assert(std::is_same_v<Dot<std::uint64_t, std::int8_t>, std::int64_t>);
static_assert(std::is_same_v<Dot<std::int8_t, std::int8_t>, std::int64_t>);
static_assert(std::is_same_v<Dot<half, half>, half>);
static_assert(std::is_same_v<WeightedMean<std::int64_t, std::uint8_t>, double>);
static_assert(std::is_same_v<WeightedMean<float, half>, float>);
static_assert(std::is_same_v<WeightedMean<float, std::int64_t>, double>);

std::vector<std::int64_t> some_integers(std::size_t size) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> values(size);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() >> (random() % 64));
  return values;
}

std::vector<float> some_floats(std::size_t size) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

mpz_class exact_dot(const std::vector<std::int64_t>& x, const std::vector<std::uint64_t>& y) {
  mpz_class sum;
  for (std::size_t i = 0; i < x.size(); ++i) sum += mpz_class(x[i]) * mpz_class(y[i]);
  return sum;
}

TEST(MixedTypes, IntegersOfBothSignednesses) {
  const std::vector<std::int64_t> x = some_integers(5001);
  std::vector<std::uint64_t> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = static_cast<std::uint64_t>(x[x.size() - 1 - i]) * 3;
  Accumulator sum(Operation::dot);
  sum.add(x, y);
  EXPECT_EQ(sum.exact(Operation::dot), exact_dot(x, y).get_str());
  EXPECT_EQ(sum.count(), 5001);
}

TEST(MixedTypes, AnyLayout) {
  const std::vector<std::int64_t> x = some_integers(10'000);
  const std::vector<float> y = some_floats(10'000);
  const double expected = dot(x, y);
  EXPECT_EQ(expected, dot(y, x));
  EXPECT_EQ(expected,
            dot<double>(VectorView(x.data() + 9999, 10'000, -1), VectorView(y.data() + 9999, 10'000, -1)));
  std::vector<std::byte> odd(10'000 * 3 * sizeof(float) + 1);
  for (std::size_t i = 0; i < y.size(); ++i)
    std::memcpy(&odd[1 + 3 * i * sizeof(float)], &y[i], sizeof(float));
  EXPECT_EQ(expected, dot<double>(x, VectorView(odd.data() + 1, ElementType::float32, 10'000, 3)));
  EXPECT_EQ(dot<double>(x, VectorView(y.data() + 5, 10'000, 0)),
            dot<double>(x, std::vector<float>(10'000, y[5])));
}

TEST(MixedTypes, ThreadsTargetsAndPieces) {
  const std::vector<std::int64_t> x = some_integers(200'000);
  const std::vector<float> y = some_floats(200'000);
  const double expected = dot(x, y, {.execution = {.threads = 1}});
  const double mean = weighted_mean(y, x, {.execution = {.threads = 1}});
  for (const Target target : available_targets()) {
    EXPECT_EQ(dot(x, y, {.execution = {.threads = 3, .target = target}}), expected);
    EXPECT_EQ(weighted_mean(y, x, {.execution = {.threads = 3, .target = target}}), mean);
  }
  Accumulator pieces(Operation::weighted_mean);
  for (std::int64_t at = 0; at < 200'000; at += 12'345) {
    const std::int64_t count = std::min<std::int64_t>(12'345, 200'000 - at);
    pieces.add(VectorView(y).part(at, count), VectorView(x).part(at, count));
  }
  EXPECT_EQ(pieces.result(), mean);
  EXPECT_EQ(pieces.count(), 200'000);
}

TEST(MixedTypes, AnyFloatingPointEnvironment) {
  const std::vector<std::int64_t> x = {3, (std::int64_t{1} << 53) + 1};
  const std::vector<float> y = {0x1p-149f, 0x1p-149f};
  const double expected = 0x1p-149 * 0x1p53 + 0x1p-147;
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const double upward = dot(x, y);
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(upward, expected);
#if defined(__x86_64__)
  const unsigned state = _mm_getcsr();
  _mm_setcsr(state | 0x8040);  // subnormals count and become 0
  const double flushed = dot(x, y);
  const bool left_alone = (_mm_getcsr() & 0x8040) == 0x8040;
  _mm_setcsr(state);
  EXPECT_EQ(flushed, expected);
  EXPECT_TRUE(left_alone);
#endif
}

TEST(MixedTypes, Empty) {
  EXPECT_EQ(dot(std::vector<float>(), std::vector<int>()), 0);
  EXPECT_TRUE(std::isnan(weighted_mean(std::vector<float>(), std::vector<int>())));
}

}  // namespace
