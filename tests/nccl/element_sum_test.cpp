// The sum of a few numbers an element (src/nccl/element_sum.hpp) against GMP, for up to 1024 terms, each way
// by itself and in several orders.
#include "nccl/partial_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "generators.hpp"
#include "oracle.hpp"
#include "terms_beside_halfway.hpp"

namespace {

using foldline::ElementType;
using foldline::nccl::TermRange;
using generators::Random;
using generators::terms_beside_halfway;

template <class T>
std::uint64_t bits_of_element(T x) {
  if constexpr (sizeof(T) == 2)
    return x.bits;
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(x);
  else
    return std::bit_cast<std::uint64_t>(x);
}

template <class T>
T element(double x) {
  return foldline::narrow_exactly<T>(x);
}

template <class T>
void check(std::vector<double> values, generators::Random& random, oracle::BigIntegers& oracle) {
  constexpr ElementType type = foldline::element_type_of<T>;
  const auto count = static_cast<int>(values.size());
  oracle.load(values, false);
  const std::uint64_t expected = oracle.result(foldline::Operation::sum, type);
  for (int order = 0; order < 3; ++order) {
    std::vector<T> terms;
    TermRange<T> range;
    for (const double x : values) {
      terms.push_back(element<T>(x));
      range.observe(terms.back());
    }
    const auto term = [&](int i) { return terms[static_cast<std::size_t>(i)]; };
    ASSERT_EQ(bits_of_element(foldline::nccl::sum_of_terms<T>(count, term)), expected)
        << name_of(type) << ", " << count;
    if (range.all_finite() && !range.all_zero()) {
      ASSERT_EQ(bits_of_element(foldline::nccl::sum_by_pairs<T>(range, count, term)), expected) << count;
      ASSERT_EQ(bits_of_element(foldline::nccl::sum_by_digits<T>(range, count, term)), expected) << count;
    }
    random.shuffle(values);
  }
}

/// Values that are hard for the way taken: exponents as far apart as it allows, and a bit more; cancellation;
/// ends of the range.
template <class T>
std::vector<double> hard_values(int count, generators::Random& random) {
  using Format = foldline::nccl::TermFormat<T>;
  const int lowest = Format::format.min_exponent, highest = Format::format.max_exponent - 1;
  const auto span = random.one_in(3) ? random.between(0, highest - lowest) : random.between(0, 60);
  const std::int64_t first = random.one_in(4) ? lowest
                             : random.coin()  ? random.between(lowest, highest)
                                              : std::max<std::int64_t>(lowest, highest - span);
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    const auto exponent = std::min<std::int64_t>(highest, first + random.between(0, span));
    const double significand = random.coin() ? 1.0 : 1.0 + random.real();
    const double x = std::ldexp(random.coin() ? significand : -significand, static_cast<int>(exponent));
    values.push_back(foldline::nccl::widened(foldline::nccl::narrowed<T>(x)));
    if (random.one_in(4) && i + 1 < count)
      values.push_back(-values[static_cast<std::size_t>(random.between(0, i))]), ++i;
  }
  for (double& x : values) {
    if (std::isinf(x) && !random.one_in(50)) x = 1;
    if (random.one_in(10)) x = random.coin() ? 0.0 : -0.0;
  }
  if (random.one_in(20)) values[0] = random.coin() ? std::numeric_limits<double>::infinity() : std::nan("");
  if (random.one_in(30))
    for (double& x : values) x = random.one_in(std::int64_t{3} * count) ? 0.0 : -0.0;
  return values;
}

template <class T>
class ElementSum : public testing::Test {};
using Types = testing::Types<foldline::half, foldline::bfloat16, float, double>;
TYPED_TEST_SUITE(ElementSum, Types);

TYPED_TEST(ElementSum, IsCorrectlyRounded) {
  const char* const wish = std::getenv("FOLDLINE_TEST_CASES");
  const std::int64_t cases = wish != nullptr ? std::atoll(wish) : 3000;
  generators::Random random(20261127);
  oracle::BigIntegers oracle;
  const std::vector<int> counts = {1, 2, 2, 3, 4, 4, 5, 7, 8, 8, 13, 16, 16, 17, 32, 33, 64};
  for (std::int64_t i = 0; i < cases; ++i) {
    const int count = random.one_in(100) ? 1024 : random.pick(counts);
    ASSERT_NO_FATAL_FAILURE(check<TypeParam>(hard_values<TypeParam>(count, random), random, oracle)) << i;
  }
}

/// Halfway cases, and a tiny bit beside them, by the generators of the library's own tests.
TYPED_TEST(ElementSum, OfGeneratedData) {
  oracle::BigIntegers oracle;
  generators::Random random(7);
  for (const generators::Generator generator : generators::all_generators)
    for (const int count : {1, 2, 3, 4, 8, 16, 100, 1024})
      for (int i = 0; i < 8; ++i) {
        const auto data =
            generators::generate(generator, foldline::element_type_of<TypeParam>, count, random);
        ASSERT_NO_FATAL_FAILURE(check<TypeParam>(data.x, random, oracle));
      }
}

template <class T>
bool first_way_rounds(const std::vector<double>& values) {
  foldline::nccl::ElementSum<T> sum;
  for (const double x : values) sum.add(element<T>(x));
  T result;
  return sum.rounds(foldline::nccl::ceil_log2(static_cast<int>(values.size())), result);
}

/// 2^13 halves never take another way, and sums of more overflow before a bit is lost.
template <class T>
void check_the_limit_of_the_first_way(const std::vector<int>& counts) {
  oracle::BigIntegers oracle;
  Random random(53);
  for (const int count : counts)
    for (int i = 0; i < 20; ++i)
      for (const int bits : {52, 53, 54, 55}) {
        const std::vector<double> values = terms_beside_halfway<T>(count, bits, random);
        EXPECT_EQ(first_way_rounds<T>(values), bits <= 53) << count << ' ' << bits;
        ASSERT_NO_FATAL_FAILURE(check<T>(values, random, oracle)) << bits;
      }
}
TEST(ElementSumOfFloats, AtTheLimitOfTheFirstWay) {
  check_the_limit_of_the_first_way<float>({7, 8, 15, 16, 31, 32, 1024});
  check_the_limit_of_the_first_way<foldline::bfloat16>({7, 8, 15, 16, 31, 32});
}

/// Their terms are within 40 bits, so that kernels add them up in float or in double.
TEST(ElementSumOfHalves, AtTheLimitOfFloats) {
  oracle::BigIntegers oracle;
  Random random(24);
  for (const int count : {7, 8, 15, 16, 31, 32})
    for (int i = 0; i < 20; ++i)
      for (const int bits : {23, 24, 25, 26})
        ASSERT_NO_FATAL_FAILURE(
            check<foldline::half>(terms_beside_halfway<foldline::half>(count, bits, random), random, oracle))
            << bits;
}

/// The same of doubles, such that errors of additions are as large as they can be and of one sign: a third of
/// the bound in the proof. `bits` are those of t - u + 2 L there; from 108 on the sum of the errors loses the
/// unit.
std::vector<double> beside_halfway_with_errors(int log2_count, int bits, Random& random) {
  constexpr std::uint64_t one = 1;
  std::vector<std::uint64_t> large;
  std::uint64_t sum = 0, added_up = 0;  // exactly, and as doubles are
  const auto step_at = [](std::uint64_t x) {
    return one << (std::max(static_cast<int>(std::bit_width(x)), 53) - 53);
  };
  for (int left = (1 << log2_count) - 2; left > 0; --left) {
    std::uint64_t next = (one << 53) - 1 - (random.bits() >> 24);
    const std::uint64_t before = left == 1 ? sum : added_up, step = step_at(before + next);
    // Just less than half a step above a double; the last one leads the whole sum to half a step.
    const std::uint64_t wish = left == 1 ? step / 2 : step >= 4 ? step / 2 - 1 : 0;
    next -= (before + next - wish) % step;
    large.push_back(next);
    sum += next;
    added_up = static_cast<std::uint64_t>(static_cast<double>(added_up + next));
  }
  std::vector<double> values;
  for (const std::uint64_t significand : large)
    values.push_back(std::ldexp(static_cast<double>(significand), bits - 53 - 2 * log2_count));
  const double sign = random.coin() ? 1 : -1;
  values.push_back(sign * (0x1p52 + 1));
  values.push_back(-sign * 0x1p52);
  return values;
}
TEST(ElementSumOfDoubles, AtTheLimitOfTheSecondWay) {
  oracle::BigIntegers oracle;
  Random random(106);
  for (const int log2_count : {3, 4, 5, 10})
    for (int i = 0; i < 20; ++i)
      for (int bits = 105; bits <= 112; ++bits)
        ASSERT_NO_FATAL_FAILURE(
            check<double>(beside_halfway_with_errors(log2_count, bits, random), random, oracle))
            << log2_count << ' ' << bits;
}

/// The smallest number of all decides on which side of halfway a sum is.
TYPED_TEST(ElementSum, WithTheSmallestNumber) {
  constexpr foldline::FloatFormat format = foldline::nccl::TermFormat<TypeParam>::format;
  const double smallest = std::ldexp(1, format.min_exponent);
  oracle::BigIntegers oracle;
  Random random(1);
  for (const double sign : {1.0, -1.0})
    for (const double significand : {1.0, 1.0 + std::ldexp(1, 1 - format.precision)})
      ASSERT_NO_FATAL_FAILURE(
          check<TypeParam>({significand, std::ldexp(1, -format.precision), sign * smallest}, random, oracle));
}

/// Ranks with several arrays send the words of their sums: as the kernel of src/nccl/sent_kernel.cuh does it.
/// Counts the sums that need the arrays again.
template <class T>
T sum_over_ranks(int ranks, int arrays, const std::vector<T>& terms, int& again) {
  using Partial = foldline::nccl::Partial<T>;
  std::vector<typename Partial::Word> words;
  for (int rank = 0; rank < ranks; ++rank) {
    const Partial sum = foldline::nccl::partial_sum<T, 8>(
        arrays, [&](int p) { return terms[static_cast<std::size_t>(rank * arrays + p)]; });
    words.insert(words.end(), std::begin(sum.word), std::end(sum.word));
  }
  const auto is_number = [](auto word) { return std::isfinite(word); };
  if (!std::ranges::all_of(words, is_number)) {
    ++again;
    return foldline::nccl::sum_of_terms<T>(static_cast<int>(terms.size()),
                                           [&](int p) { return terms[static_cast<std::size_t>(p)]; });
  }
  return foldline::nccl::sum_of_terms<typename Partial::Word, T>(
      static_cast<int>(words.size()), [&](int p) { return words[static_cast<std::size_t>(p)]; });
}

TYPED_TEST(ElementSum, OfSeveralArraysOfManyRanks) {
  const char* const wish = std::getenv("FOLDLINE_TEST_CASES");
  const std::int64_t cases = wish != nullptr ? std::atoll(wish) : 3000;
  Random random(43);
  oracle::BigIntegers oracle;
  int again = 0;
  for (std::int64_t i = 0; i < cases; ++i) {
    const int ranks = random.pick(std::vector<int>{2, 2, 3, 4, 8, 16, 64});
    const auto arrays = static_cast<int>(random.between(2, 8));
    const int count = ranks * arrays;
    std::vector<double> values;
    if (random.one_in(4)) {
      values = terms_beside_halfway<TypeParam>(std::max(count, 7), static_cast<int>(random.between(20, 56)),
                                               random);
    } else if (random.one_in(4)) {  // exact in the words, or nearly so
      for (int p = 0; p < count; ++p)
        values.push_back(std::ldexp(random.coin() ? 1.0 : -1.0, static_cast<int>(random.between(0, 13))));
    } else {
      values = hard_values<TypeParam>(count, random);
    }
    values.resize(static_cast<std::size_t>(count), -0.0);
    random.shuffle(values);
    std::vector<TypeParam> terms;
    for (double& x : values) {
      terms.push_back(element<TypeParam>(x));
      x = foldline::nccl::widened(terms.back());
    }
    oracle.load(values, false);
    ASSERT_EQ(bits_of_element(sum_over_ranks(ranks, arrays, terms, again)),
              oracle.result(foldline::Operation::sum, foldline::element_type_of<TypeParam>))
        << ranks << " ranks, " << arrays << " arrays, case " << i;
  }
  EXPECT_GT(again, 0);
  EXPECT_LT(again, cases * 9 / 10);
}

TYPED_TEST(ElementSum, OfZeros) {
  const auto sum = [](std::vector<double> values) {
    return bits_of_element(foldline::nccl::sum_of_terms<TypeParam>(
        static_cast<int>(values.size()),
        [&](int i) { return element<TypeParam>(values[static_cast<std::size_t>(i)]); }));
  };
  const std::uint64_t minus_zero = std::uint64_t{1} << (8 * sizeof(TypeParam) - 1);
  EXPECT_EQ(sum({-0.0}), minus_zero);
  EXPECT_EQ(sum({-0.0, -0.0, -0.0}), minus_zero);
  EXPECT_EQ(sum({-0.0, 0.0}), 0u);
  EXPECT_EQ(sum({-1.0, 1.0, -0.0}), 0u);
}

}  // namespace
