// All digits of what an accumulator holds.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <limits>

#include "accumulator_cases.hpp"

namespace {

using accumulator_cases::gather;
using cases::ElementType;
using cases::Operation;
using foldline::Accumulator;
using generators::Data;
using generators::Generator;
using generators::Random;

/// "-12.75" as a rational number.
mpq_class parse_decimal(const std::string& text) {
  std::string digits = text;
  std::size_t decimals = 0;
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    decimals = digits.size() - point - 1;
    digits.erase(point, 1);
  }
  mpz_class scale;
  mpz_ui_pow_ui(scale.get_mpz_t(), 10, decimals);
  mpq_class result(mpz_class(digits, 10), scale);
  result.canonicalize();
  return result;
}

/// A decimal number or a quotient of two.
mpq_class parse(const std::string& text) {
  const std::size_t bar = text.find(" / ");
  if (bar == std::string::npos) return parse_decimal(text);
  return parse_decimal(text.substr(0, bar)) / parse_decimal(text.substr(bar + 3));
}

mpq_class scaled(const mpz_class& value, int exponent) {
  mpq_class result = value;
  mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  return result;
}

TEST(Exactly, DigitsThatEverybodyKnows) {
  Accumulator sum(Operation::sum);
  EXPECT_EQ(sum.exact(Operation::sum), "0");
  sum.add(std::vector<double>{0.1});
  EXPECT_EQ(sum.exact(Operation::sum), "0.1000000000000000055511151231257827021181583404541015625");
  sum.add(std::vector<double>{-0.1, -2.5});
  EXPECT_EQ(sum.exact(Operation::sum), "-2.5");
  sum.add(std::vector<double>{1e22});
  EXPECT_EQ(sum.exact(Operation::sum), "9999999999999999999997.5");
  sum.add(std::vector<double>{std::numeric_limits<double>::infinity()});
  EXPECT_EQ(sum.exact(Operation::sum), "inf");
  sum.add(std::vector<double>{-std::numeric_limits<double>::infinity()});
  EXPECT_EQ(sum.exact(Operation::sum), "nan");
  Accumulator norm(Operation::two_norm);
  norm.add(std::vector<double>{1, 0.5});
  EXPECT_EQ(norm.exact(Operation::two_norm), "sqrt(1.25)");
  Accumulator mean(Operation::mean);
  mean.add(std::vector<double>{1, 0.5, -3});
  EXPECT_EQ(mean.exact(Operation::mean), "-1.5 / 3");
  EXPECT_EQ(Accumulator(Operation::mean).exact(Operation::mean), "nan");
}

TEST(Exactly, EveryDigitOfAnything) {
  Random random(57);
  oracle::BigIntegers big;
  constexpr int unit = oracle::BigIntegers::unit;
  for (const Generator generator : generators::all_generators)
    for (const ElementType type : oracle::all_types) {
      if (generator == Generator::with_specials || generator == Generator::random_bits) continue;
      const Data data = generators::generate(generator, type, random.log_uniform(100), random);
      SCOPED_TRACE(name_of(generator));
      big.load(data.x, data.y);
      const Accumulator all = gather(Operation::statistics, data, type);
      const mpz_class n = static_cast<long>(data.x.size());
      const mpz_class variance = n * big.squares() - big.sum() * big.sum();
      EXPECT_EQ(parse(all.exact(Operation::sum)), scaled(big.sum(), unit));
      EXPECT_EQ(parse(all.exact(Operation::abs_sum)), scaled(big.abs_sum(), unit));
      EXPECT_EQ(parse(all.exact(Operation::mean)), scaled(big.sum(), unit) / n);
      EXPECT_EQ(parse(all.exact(Operation::variance)), scaled(variance, 2 * unit) / (n * n));
      if (n > 1) {
        EXPECT_EQ(parse(all.exact(Operation::variance, 1)), scaled(variance, 2 * unit) / (n * (n - 1)));
      }
      const std::string norm = all.exact(Operation::two_norm);
      ASSERT_EQ(norm.substr(0, 5), "sqrt(");
      EXPECT_EQ(parse(norm.substr(5, norm.size() - 6)), scaled(big.squares(), 2 * unit));
      EXPECT_EQ(parse(gather(Operation::dot, data, type).exact(Operation::dot)), scaled(big.dot(), 2 * unit));
      if (big.weights() != 0) {
        EXPECT_EQ(parse(gather(Operation::weighted_mean, data, type).exact(Operation::weighted_mean)),
                  scaled(big.dot(), unit) / big.weights());
      }
    }
}

TEST(Exactly, TheDigitsAreMpfrs) {
  Random random(58);
  for (int round = 0; round < 200; ++round) {
    const Data data = generators::generate(Generator::all_exponents, ElementType::float64, 1, random);
    mpfr_t value;
    mpfr_init2(value, 53);
    mpfr_set_d(value, data.x[0], MPFR_RNDN);
    char* text = nullptr;
    mpfr_asprintf(&text, "%.1074Rf", value);
    std::string expected = text;
    mpfr_free_str(text);
    mpfr_clear(value);
    expected.erase(expected.find_last_not_of('0') + 1);
    if (expected.back() == '.') expected.pop_back();
    EXPECT_EQ(gather(Operation::sum, data, ElementType::float64).exact(Operation::sum), expected);
  }
}

}  // namespace
