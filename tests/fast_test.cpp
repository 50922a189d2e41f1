// accuracy::fast: an ordinary sum within its documented bound, the same for every number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Layout;
using cases::Operation;
using foldline::Accuracy;
using generators::Data;
using generators::Generator;
using generators::Random;

/// |error| <= 200 * 2^-53 * sum of |terms|, in exact arithmetic; for the mean both are divided by n.
void expect_within_bound(double actual, const mpz_class& exact, const mpz_class& magnitude, int exponent,
                         const std::string& what) {
  ASSERT_TRUE(std::isfinite(actual)) << what;
  oracle::BigIntegers result;
  result.load(std::vector<double>{actual});
  mpz_class value = result.sum();
  value <<= static_cast<mp_bitcnt_t>(oracle::BigIntegers::unit - exponent);
  const mpz_class error = abs(mpz_class(value - exact));
  const mpz_class bound = (magnitude * 200) >> 53;
  EXPECT_FALSE(!(error <= bound)) << what << ": error " << mpf_class(error) << " bound " << mpf_class(bound);
}

class Fast : public testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(Types, Fast, testing::ValuesIn(oracle::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST_P(Fast, ErrorIsWithinItsBound) {
  Random random(71);
  oracle::BigIntegers big;
  constexpr int unit = oracle::BigIntegers::unit;
  for (int round = 0; round < 40; ++round)
    for (const Generator generator :
         {Generator::uniform, Generator::normal, Generator::integers, Generator::all_equal,
          Generator::ill_conditioned_sum, Generator::cancellation}) {
      const std::int64_t size = random.log_uniform(round < 36 ? 5000 : 1'000'000);
      Data data = generators::generate(generator, GetParam(), size, random);
      for (double& value : data.x)
        if (!(std::fabs(value) < 0x1p400 && std::fabs(value) > 0x1p-400))
          value = 1.0;  // no overflow in any order
      for (double& value : data.y) value = 1.0;
      data.y.front() = 0.75;
      big.load(data.x, data.y);
      oracle::BigIntegers magnitudes;
      std::vector<double> absolute = data.x;
      for (double& value : absolute) value = std::fabs(value);
      magnitudes.load(absolute, data.y);
      const Layout x(data.x, GetParam()), y(data.y, GetParam());
      for (const foldline::Target target : foldline::available_targets()) {
        const Context context = {.accuracy = Accuracy::fast, .execution = {.threads = 1, .target = target}};
        const auto what = [&](const char* name) {
          return std::string(name) + " of " + std::to_string(data.x.size()) + " from " +
                 std::string(name_of(generator)) + ", target " + std::string(name_of(target));
        };
        expect_within_bound(foldline::sum<double>(x.view(), context), big.sum(), big.abs_sum(), unit,
                            what("sum"));
        expect_within_bound(foldline::vector_abs_sum<double>(x.view(), context), big.abs_sum(), big.abs_sum(),
                            unit, what("abs_sum"));
        expect_within_bound(foldline::dot<double>(x.view(), y.view(), context), big.dot(), magnitudes.dot(),
                            2 * unit, what("dot"));
      }
      if (HasFailure()) return;
    }
}

TEST_P(Fast, IsTheSameForEveryNumberOfThreads) {
  Random random(72);
  for (const std::int64_t size : {0, 1, 7, 1000, 4097, 300'001}) {
    const Data data = generators::generate(Generator::normal, GetParam(), size, random);
    const Layout x(data.x, GetParam()), y(data.y, GetParam());
    for (const Operation operation :
         {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::mean, Operation::variance,
          Operation::dot, Operation::weighted_mean})
      for (const foldline::Target target : foldline::available_targets()) {
        const std::uint64_t expected =
            cases::call(operation, x.view(), y.view(), ElementType::float64, 0,
                        {.accuracy = Accuracy::fast, .execution = {.threads = 1, .target = target}});
        for (const int threads : {1, 2, 3, 8, 0})
          EXPECT_EQ(
              cases::call(operation, x.view(), y.view(), ElementType::float64, 0,
                          {.accuracy = Accuracy::fast, .execution = {.threads = threads, .target = target}}),
              expected)
              << name_of(operation) << " of " << size << ", threads " << threads;
      }
  }
}

// Which takes less time; on any number of threads.
TEST(FastOfFew, IsTheExactResult) {
  const std::vector<double> x = {0.1, 0.2, 0.7}, y = {1, 0x1p-53, 0x1p-53, -0x1p-60};
  for (const int threads : {0, 1, 2, 7}) {
    const Context context = {.accuracy = Accuracy::fast, .execution = {.threads = threads}};
    EXPECT_EQ(foldline::vector_two_norm<double>(x, context), foldline::vector_two_norm<double>(x));
    EXPECT_EQ(foldline::sum<double>(y, context), foldline::sum<double>(y));
  }
}

TEST_P(Fast, SpecialsAreAsEverywhere) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Context context = {.accuracy = Accuracy::fast, .execution = {.threads = 1}};
  const auto sum = [&](const std::vector<double>& values) {
    return foldline::sum<double>(Layout(values, GetParam()).view(), context);
  };
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1, inf, 2}), inf);
  EXPECT_EQ(sum({1, -inf, 2}), -inf);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum({1, -inf, inf})), 0x7ff8000000000000u);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum({1, NAN})), 0x7ff8000000000000u);
}

}  // namespace
