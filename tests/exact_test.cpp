// Every operation on every element type, bit for bit against the oracle, on at least 10^5 random cases each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "cases.hpp"

namespace {

using cases::Problem;
using foldline::ElementType;
using foldline::Operation;

/// FOLDLINE_TEST_CASES is for builds that are slow (sanitizers, valgrind) or for more than the usual.
std::int64_t cases_wanted() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text != nullptr ? std::atoll(text) : 100'000;
}

class Exact : public testing::TestWithParam<ElementType> {};

TEST_P(Exact, EveryOperation) {
  const ElementType type = GetParam();
  const std::int64_t wanted = cases_wanted();
  std::map<Operation, std::int64_t> done;
  int failures = 0;
  const auto fewest = [&] {
    std::int64_t result = done.size() < 10 ? 0 : wanted;
    for (const auto& [operation, count] : done) result = std::min(result, count);
    return result;
  };
  for (std::uint64_t seed = 1; fewest() < wanted; ++seed) {
    Problem problem(seed * 4 + static_cast<std::uint64_t>(type), type);
    // Drawn several times: other result types and thread counts on the same data.
    for (int draw = 0; draw < 3; ++draw)
      for (const Problem::Case& one : problem.cases()) {
        ++done[one.operation];
        const std::string wrong = problem.check(one);
        if (wrong.empty()) continue;
        ADD_FAILURE() << wrong;
        if (++failures == 10) FAIL() << "and so on";
      }
    if (seed % 64 == 0) {
      ASSERT_EQ(problem.check_oracles(), "");
    }
  }
}

TEST_P(Exact, LongVectorsOfMixedData) {
  // Many tiles, each of another kind than the last: windows are raised and lowered, fast paths tried and
  // given up.
  const ElementType type = GetParam();
  generators::Random random(17);
  oracle::BigIntegers big;
  for (std::int64_t round = 0; round * 1000 < cases_wanted(); ++round) {
    const std::int64_t size = random.between(5'000, round % 10 == 0 ? 600'000 : 60'000);
    const generators::Data data = generators::generate(generators::Generator::mixed, type, size, random);
    big.load(data.x, data.y);
    const cases::Layout x(data.x, type), y(data.y, type);
    for (const foldline::Target target : foldline::available_targets())
      for (const Operation operation :
           {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
            Operation::mean, Operation::variance, Operation::dot, Operation::weighted_mean,
            Operation::standard_deviation, Operation::standard_error, Operation::range}) {
        const foldline::Context context = {
            .execution = {.threads = random.one_in(4) ? 3 : 1, .target = target}};
        for (const ElementType result : {type, ElementType::float64})
          ASSERT_EQ(cases::call(operation, x.view(), y.view(), result, 0, context),
                    big.result(operation, result))
              << name_of(operation) << " of " << size << " as " << name_of(result) << ", threads "
              << context.execution.threads << ", target " << name_of(target) << ", round " << round;
      }
  }
}

TEST(FewElements, WhatIsFarBelowDecidesATie) {
  // n (1 + 2^-24) / n lies between two floats; the smallest number of all makes it more than that.
  for (const int n : {2, 3, 5, 100, 128, 129}) {
    std::vector<double> x(static_cast<std::size_t>(n));
    x[0] = n * (1 + 0x1p-24);
    EXPECT_EQ(foldline::mean<float>(x), 1.0f) << n;
    x[1] = 0x1p-1074;
    EXPECT_EQ(foldline::mean<float>(x), 0x1.000002p+0f) << n;
    x[1] = -0x1p-1074;
    EXPECT_EQ(foldline::mean<float>(x), 1.0f) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Exact, testing::ValuesIn(oracle::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

/// Through the typed interface: vectors of a C++ type, and the result type that comes by default.
template <class T>
class ExactTyped : public testing::Test {};
using Elements = testing::Types<foldline::half, foldline::bfloat16, float, double>;
TYPED_TEST_SUITE(ExactTyped, Elements);

TYPED_TEST(ExactTyped, ResultHasTheTypeOfTheInput) {
  using T = TypeParam;
  constexpr ElementType type = foldline::element_type_of<T>;
  generators::Random random(7);
  oracle::BigIntegers big;
  for (int i = 0; i < 2000; ++i) {
    const auto generator =
        generators::all_generators[static_cast<std::size_t>(i) % generators::all_generators.size()];
    const generators::Data data = generators::generate(generator, type, random.log_uniform(300), random);
    const std::vector<T> x = cases::as<T>(data.x), y = cases::as<T>(data.y);
    big.load(data.x, data.y);
    const auto check = [&](Operation operation, T actual, std::int64_t ddof = 0) {
      EXPECT_EQ(cases::bits_of(actual), big.result(operation, type, ddof))
          << name_of(operation) << " of " << name_of(generator) << ", case " << i;
    };
    check(Operation::sum, foldline::sum(x));
    check(Operation::abs_sum, foldline::vector_abs_sum(x));
    check(Operation::two_norm, foldline::vector_two_norm(x));
    check(Operation::mean, foldline::mean(x));
    check(Operation::variance, foldline::variance(x));
    check(Operation::variance, foldline::variance(x, {.ddof = 1}), 1);
    check(Operation::standard_deviation, foldline::standard_deviation(x));
    check(Operation::standard_deviation, foldline::standard_deviation(x, {.ddof = 1}), 1);
    check(Operation::standard_error, foldline::standard_error(x), 1);
    check(Operation::range, foldline::range(x));
    check(Operation::dot, foldline::dot(x, y));
    check(Operation::weighted_mean, foldline::weighted_mean(x, y));
    check(Operation::minimum, foldline::min(x));
    check(Operation::maximum, foldline::max(x));
    check(Operation::minimum, foldline::minmax(x).minimum);
    check(Operation::maximum, foldline::minmax(x).maximum);
    const foldline::Statistics<T> all = foldline::statistics(x, {.ddof = 1});
    EXPECT_EQ(all.count, static_cast<std::int64_t>(x.size()));
    check(Operation::variance, all.variance, 1);
    check(Operation::standard_deviation, all.standard_deviation, 1);
    check(Operation::minimum, all.minimum);
    if (this->HasFailure()) return;
  }
}

// Squares of elements that are too small for their tile's slices go their own way while they are few. A norm
// would rarely show what they add; the stored sum of squares does, beside that of the elements one by one.
TEST(ExactNorm, AFewSmallElementsAmongOrdinaryOnes) {
  generators::Random random(23);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> x(static_cast<std::size_t>(random.between(600, 9000)));
    for (double& element : x)
      element = std::ldexp(static_cast<double>(random.between(1 << 20, 1 << 24)), -24);
    for (std::int64_t small = random.between(0, 40); small > 0; --small) {
      const auto digits = static_cast<double>(random.between(0, std::int64_t{1} << 52));
      const auto place = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(x.size()) - 1));
      x[place] = std::ldexp(digits, random.one_in(9) ? -1120 : -static_cast<int>(random.between(60, 130)));
    }
    foldline::Accumulator singly(Operation::two_norm);
    for (const double& element : x) singly.add(foldline::VectorView(&element, 1));
    for (const foldline::Target target : foldline::available_targets()) {
      foldline::Accumulator together(Operation::two_norm);
      together.add(x, {.execution = {.threads = 1, .target = target}});
      ASSERT_EQ(together.serialise(), singly.serialise()) << "round " << round << ", " << name_of(target);
    }
  }
}

TEST(ExactExamples, RoundsOnce) {
  // A double in between would round to a tie, and the tie down.
  EXPECT_EQ(foldline::sum<float>(std::vector<double>{1, 0x1p-24, 0x1p-60}), 1 + 0x1p-23f);
  EXPECT_EQ(foldline::sum<float>(std::vector<double>{1, 0x1p-24}), 1.0f);
  EXPECT_EQ(foldline::sum<foldline::half>(std::vector<double>{1, 0x1p-11, 0x1p-90}).bits, 0x3c01);
  EXPECT_EQ(foldline::sum<foldline::bfloat16>(std::vector<float>{1, 0x1p-8f, 0x1p-90f}).bits, 0x3f81);
  EXPECT_EQ(foldline::mean<float>(std::vector<double>{2, 0x1p-23, 0x1p-80, 0}), 0.5f + 0x1p-24f);
}

TEST(ExactExamples, OfTheReadme) {
  using foldline::dot;
  using foldline::sum;
  EXPECT_EQ(sum(std::vector{1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(sum(std::vector{1e16, 1.0, -1e16}), 1.0);
  EXPECT_EQ(dot(std::vector{1.0, 0x1p-53, 0x1p-600}, std::vector{1.0, 1.0, 0x1p-600}), 1 + 0x1p-52);
  EXPECT_EQ(foldline::vector_two_norm(std::vector{3e300, 4e300}), 5e300);
  EXPECT_EQ(foldline::vector_two_norm(std::vector{3e-300, 4e-300}), 5e-300);
}

}  // namespace
