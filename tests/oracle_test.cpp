// The oracle and the generators themselves: hand-checked values, the two oracles against each other, and ties
// that are ties. Nothing here calls the library.
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "generators.hpp"

namespace {

using foldline::ElementType;
using foldline::Operation;
using generators::Data;
using generators::Random;

constexpr double inf = std::numeric_limits<double>::infinity();

double evaluate(Operation operation, const std::vector<double>& x, const std::vector<double>& y = {},
                ElementType type = ElementType::float64, std::int64_t ddof = 0) {
  oracle::BigIntegers big;
  big.load(x, y);
  return oracle::decode(big.result(operation, type, ddof), type);
}

TEST(Oracle, KnowsWhatCanBeCheckedByHand) {
  EXPECT_EQ(evaluate(Operation::sum, {1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(evaluate(Operation::sum, {1e16, 1, -1e16}), 1);
  EXPECT_EQ(evaluate(Operation::sum, {0.1, 0.2, 0.3}), 0.6);  // naively 0.6000000000000001
  EXPECT_EQ(evaluate(Operation::sum, {1, 0x1p-53}), 1);
  EXPECT_EQ(evaluate(Operation::sum, {1, 0x1p-53, 0x1p-1074}), 1 + 0x1p-52);
  EXPECT_EQ(evaluate(Operation::sum, {1, 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  EXPECT_EQ(evaluate(Operation::sum, {1e308, 1e308}), inf);
  EXPECT_EQ(evaluate(Operation::dot, {1, 0x1p-53, 0x1p-600}, {1, 1, 0x1p-600}), 1 + 0x1p-52);
  EXPECT_EQ(evaluate(Operation::two_norm, {3e300, 4e300}), 5e300);
  EXPECT_EQ(evaluate(Operation::mean, {1, 2, 4}), 7.0 / 3);
  EXPECT_EQ(evaluate(Operation::variance, {1, 2, 3, 4}), 1.25);
  EXPECT_EQ(evaluate(Operation::variance, {1, 2, 3, 4}, {}, ElementType::float64, 1), 5.0 / 3);
  EXPECT_EQ(evaluate(Operation::standard_deviation, {1, 3, 5, 7, 9, 11, 13, 15}), std::sqrt(21.0));
  EXPECT_EQ(evaluate(Operation::standard_deviation, {2, 4, 4, 4, 5, 5, 7, 9}), 2.0);
  EXPECT_EQ(evaluate(Operation::standard_error, {2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(0.5));
  EXPECT_EQ(evaluate(Operation::range, {3, -0.5, 2}), 3.5);
  EXPECT_EQ(evaluate(Operation::weighted_mean, {1, 2}, {1, 3}), 1.75);
  EXPECT_EQ(evaluate(Operation::sum, {1, 0x1p-24, 0x1p-60}, {}, ElementType::float32), 1 + 0x1p-23);
  EXPECT_EQ(evaluate(Operation::sum, {65504, 15.9}, {}, ElementType::half), 65504);
  EXPECT_EQ(evaluate(Operation::sum, {65504, 16}, {}, ElementType::half), inf);
  EXPECT_EQ(evaluate(Operation::sum, {0x1p-25}, {}, ElementType::half), 0);
  EXPECT_EQ(evaluate(Operation::sum, {0x1p-25, 0x1p-1074}, {}, ElementType::half), 0x1p-24);
}

TEST(Oracle, EncodesEveryHalf) {
  for (const ElementType type : {ElementType::half, ElementType::bfloat16})
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits)
      ASSERT_EQ(oracle::encode(oracle::decode(bits, type), type), bits);
}

TEST(Oracle, MpfrAndBigIntegersAgree) {
  Random random(1);
  oracle::BigIntegers big;
  for (int round = 0; round < 12; ++round)
    for (const generators::Generator generator : generators::all_generators)
      for (const ElementType type : oracle::all_types) {
        const Data data =
            generators::generate(generator, type, random.log_uniform(200) - (round == 0), random);
        ASSERT_EQ(data.x.size(), data.y.size());
        big.load(data.x, data.y);
        for (const ElementType result : oracle::all_types) {
          const auto check = [&](Operation operation, std::int64_t ddof) {
            ASSERT_EQ(big.result(operation, result, ddof),
                      oracle::round_with_mpfr(operation, data.x, data.y, result, ddof))
                << name_of(operation) << " of " << name_of(generator) << ", " << data.x.size() << ' '
                << name_of(type) << " as " << name_of(result);
          };
          for (const Operation operation :
               {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::mean, Operation::variance,
                Operation::dot, Operation::weighted_mean, Operation::standard_deviation,
                Operation::standard_error, Operation::range})
            check(operation, 0);
          for (const Operation operation :
               {Operation::variance, Operation::standard_deviation, Operation::standard_error})
            check(operation, 1);
        }
      }
}

TEST(Generators, MakeValuesOfTheirType) {
  Random random(2);
  for (int round = 0; round < 40; ++round)
    for (const generators::Generator generator : generators::all_generators)
      for (const ElementType type : oracle::all_types) {
        const std::int64_t size = random.log_uniform(300);
        const Data data = generators::generate(generator, type, size, random);
        ASSERT_GE(static_cast<std::int64_t>(data.x.size()), size) << name_of(generator);
        ASSERT_LE(static_cast<std::int64_t>(data.x.size()), size + 16) << name_of(generator);
        for (const double value : data.x) ASSERT_NO_THROW(oracle::encode(value, type)) << name_of(generator);
        for (const double value : data.y) ASSERT_NO_THROW(oracle::encode(value, type)) << name_of(generator);
      }
}

TEST(Generators, AreReproducible) {
  for (const generators::Generator generator : generators::all_generators) {
    Random first(3), second(3);
    const Data a = generators::generate(generator, ElementType::float64, 100, first);
    const Data b = generators::generate(generator, ElementType::float64, 100, second);
    for (std::size_t i = 0; i < a.x.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a.x[i]), std::bit_cast<std::uint64_t>(b.x[i]))
          << name_of(generator);
  }
}

/// Whether magnitude * 2^exponent is exactly halfway between two neighbours of some type.
bool is_tie(const mpz_class& magnitude, int exponent) {
  if (magnitude == 0) return false;
  const auto zeros = static_cast<int>(mpz_scan1(magnitude.get_mpz_t(), 0));
  const auto bits = static_cast<int>(mpz_sizeinbase(magnitude.get_mpz_t(), 2));
  for (const ElementType type : oracle::all_types) {
    const oracle::Format format = oracle::format_of(type);
    const int place = std::max(exponent + bits - format.precision, format.min_place());
    if (exponent + zeros == place - 1) return true;
  }
  return false;
}

TEST(Generators, TiesAreTies) {
  using generators::Generator;
  Random random(4);
  for (const ElementType type : oracle::all_types) {
    int sums = 0, means = 0, dots = 0, norms = 0, variances = 0;
    constexpr int rounds = 200, unit = oracle::BigIntegers::unit;
    oracle::BigIntegers big;
    const auto load = [&](Generator generator) {
      const Data data = generators::generate(generator, type, 20, random);
      big.load(data.x, data.y);
      return static_cast<long>(data.x.size());
    };
    for (int i = 0; i < rounds; ++i) {
      load(Generator::sum_tie);
      sums += is_tie(abs(big.sum()), unit);
      const long n = load(Generator::mean_tie);
      means += big.sum() % n == 0 && is_tie(abs(mpz_class(big.sum() / n)), unit);
      load(Generator::dot_tie);
      dots += is_tie(abs(big.dot()), 2 * unit);
      load(Generator::norm_tie);
      norms += mpz_perfect_square_p(big.squares().get_mpz_t()) != 0 && is_tie(sqrt(big.squares()), unit);
      const long m = load(Generator::variance_tie);
      const mpz_class numerator = m * big.squares() - big.sum() * big.sum();
      variances += numerator % (m * m) == 0 && is_tie(mpz_class(numerator / (m * m)), 2 * unit);
    }
    // The rest are one tiny bit off, by design.
    EXPECT_GT(sums, rounds / 8) << name_of(type);
    EXPECT_GT(means, rounds / 8) << name_of(type);
    EXPECT_GT(dots, rounds / 8) << name_of(type);
    EXPECT_GT(norms, rounds / 8) << name_of(type);
    EXPECT_GT(variances, rounds / 16) << name_of(type);
  }
}

}  // namespace
