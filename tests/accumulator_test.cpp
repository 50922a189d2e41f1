// Accumulators: states, bytes, digits.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cases.hpp"

namespace {

using cases::ElementType;
using cases::Layout;
using cases::Operation;
using foldline::Accumulator;
using foldline::DataError;
using foldline::InvalidArgument;
using generators::Data;
using generators::Generator;
using generators::Random;

constexpr std::array all_operations = {Operation::sum,
                                       Operation::abs_sum,
                                       Operation::two_norm,
                                       Operation::root_mean_square,
                                       Operation::mean,
                                       Operation::variance,
                                       Operation::dot,
                                       Operation::weighted_mean,
                                       Operation::minimum,
                                       Operation::maximum,
                                       Operation::statistics,
                                       Operation::standard_deviation,
                                       Operation::standard_error,
                                       Operation::range};

bool takes_two(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}

Accumulator gather(Operation operation, const Data& data, ElementType type) {
  const Layout x(data.x, type), y(data.y, type);
  Accumulator result(operation);
  if (takes_two(operation)) {
    result.add(x.view(), y.view());
  } else {
    result.add(x.view());
  }
  return result;
}

/// Every result in every type, bit for bit.
void expect_right(const Accumulator& accumulator, const oracle::BigIntegers& big) {
  const Operation own = accumulator.operation();
  for (const Operation operation : all_operations) {
    if (operation == Operation::statistics || (own != operation && own != Operation::statistics)) continue;
    if (own == Operation::statistics && takes_two(operation)) continue;
    for (const ElementType type : oracle::all_types)
      for (std::int64_t ddof = 0; ddof <= (oracle::has_ddof(operation) ? 2 : 0); ++ddof)
        cases::with_type(type, [&]<class R>(R) {
          EXPECT_EQ(cases::bits_of(accumulator.result<R>(operation, ddof)), big.result(operation, type, ddof))
              << name_of(operation) << " as " << name_of(type);
          if (own == operation) {
            EXPECT_EQ(cases::bits_of(accumulator.result<R>(ddof)), big.result(operation, type, ddof));
          }
        });
  }
}

TEST(Accumulators, AnswerEveryOperationInEveryType) {
  Random random(51);
  oracle::BigIntegers big;
  for (int round = 0; round < 4; ++round)
    for (const Generator generator : generators::all_generators)
      for (const ElementType type : oracle::all_types) {
        const Data data = generators::generate(generator, type, random.log_uniform(600), random);
        big.load(data.x, data.y);
        for (const Operation operation : all_operations) {
          const Accumulator accumulator = gather(operation, data, type);
          EXPECT_EQ(accumulator.operation(), operation);
          EXPECT_EQ(accumulator.count(), static_cast<std::int64_t>(data.x.size()));
          expect_right(accumulator, big);
        }
        if (HasFailure()) FAIL() << name_of(generator) << ' ' << name_of(type);
      }
}

TEST(Accumulators, BytesComeBackAsTheSameState) {
  Random random(52);
  oracle::BigIntegers big;
  for (const Generator generator : generators::all_generators)
    for (const ElementType type : oracle::all_types) {
      const Data data = generators::generate(generator, type, random.log_uniform(600), random);
      big.load(data.x, data.y);
      for (const Operation operation : all_operations) {
        const Accumulator accumulator = gather(operation, data, type);
        const std::vector<std::byte> bytes = accumulator.serialise();
        EXPECT_LE(bytes.size(), 4096u) << name_of(operation);
        const Accumulator copy = Accumulator::deserialise(bytes);
        EXPECT_EQ(copy.operation(), operation);
        EXPECT_EQ(copy.count(), accumulator.count());
        EXPECT_EQ(copy.serialise(), bytes);
        expect_right(copy, big);
      }
      if (HasFailure()) FAIL() << name_of(generator) << ' ' << name_of(type);
    }
}

TEST(Accumulators, BytesDependOnTheDataOnly) {
  // Not on how it was cut, nor on the number of threads.
  Random random(53);
  const Data data = generators::generate(Generator::all_exponents, ElementType::float64, 5000, random);
  const Layout x(data.x, ElementType::float64), y(data.y, ElementType::float64);
  for (const Operation operation : all_operations) {
    const std::vector<std::byte> expected = gather(operation, data, ElementType::float64).serialise();
    Accumulator first(operation), second(operation);
    const foldline::Context three = {.execution = {.threads = 3}};
    if (takes_two(operation)) {
      first.add(x.view().part(0, 1234), y.view().part(0, 1234), three);
      second.add(x.view().part(1234, 5000 - 1234), y.view().part(1234, 5000 - 1234));
    } else {
      first.add(x.view().part(0, 1234), three);
      second.add(x.view().part(1234, 5000 - 1234));
    }
    Accumulator merged(operation);
    merged.merge(second);
    merged.merge(first);
    EXPECT_EQ(merged.serialise(), expected) << name_of(operation);
  }
}

TEST(Accumulators, MergeOfNothingAndOfItself) {
  const std::vector<double> x = {1, 2, 4};
  Accumulator sum(Operation::sum);
  sum.add(x);
  sum.merge(Accumulator(Operation::sum));
  EXPECT_EQ(sum.result(), 7);
  sum.merge(sum);
  EXPECT_EQ(sum.result(), 14);
  EXPECT_EQ(sum.count(), 6);
  Accumulator maximum(Operation::maximum);
  maximum.merge(Accumulator(Operation::maximum));
  EXPECT_THROW((void)maximum.result(), InvalidArgument);
  maximum.add(std::vector<double>{-2});
  maximum.merge(Accumulator(Operation::maximum));
  EXPECT_EQ(maximum.result(), -2);
}

TEST(Accumulators, CopiesAreIndependent) {
  Accumulator first(Operation::sum);
  first.add(std::vector<double>{1});
  Accumulator second = first;
  second.add(std::vector<double>{2});
  EXPECT_EQ(first.result(), 1);
  EXPECT_EQ(second.result(), 3);
  first = second;
  EXPECT_EQ(first.result(), 3);
  Accumulator third = std::move(second);
  EXPECT_EQ(third.result(), 3);
  second = third;  // a moved-from accumulator may be assigned
  EXPECT_EQ(second.result(), 3);
}

TEST(Accumulators, MixedElementTypes) {
  Accumulator sum(Operation::sum);
  sum.add(std::vector<double>{1});
  sum.add(std::vector<float>{0x1p-24f});
  sum.add(std::vector<foldline::half>{foldline::half(0x1p-24f)});
  sum.add(std::vector<foldline::bfloat16>{foldline::bfloat16(0x1p-133f)});
  EXPECT_EQ(sum.result<float>(), 1 + 0x1p-23f);
  EXPECT_EQ(sum.result<double>(), 1 + 0x1p-23);
}

TEST(Accumulators, RefuseWhatMakesNoSense) {
  const std::vector<double> x = {1, 2};
  Accumulator sum(Operation::sum), dot(Operation::dot), all(Operation::statistics);
  EXPECT_THROW(sum.add(x, x), InvalidArgument);
  EXPECT_THROW(dot.add(x), InvalidArgument);
  EXPECT_THROW(dot.add(x, std::vector<double>{1}), InvalidArgument);
  EXPECT_THROW(sum.merge(dot), InvalidArgument);
  EXPECT_THROW(sum.merge(all), InvalidArgument);
  EXPECT_THROW((void)sum.result(Operation::abs_sum), InvalidArgument);
  EXPECT_THROW((void)all.result(), InvalidArgument);
  EXPECT_THROW((void)all.result(Operation::dot), InvalidArgument);
  EXPECT_THROW((void)all.exact(Operation::dot), InvalidArgument);
  EXPECT_THROW((void)Accumulator(Operation::variance).result(-1), InvalidArgument);
  EXPECT_THROW((void)Accumulator(Operation::minimum).result(), InvalidArgument);
  EXPECT_TRUE(std::isnan(all.result(Operation::minimum)));
  // A refused call leaves no trace.
  EXPECT_EQ(sum.count(), 0);
  EXPECT_EQ(dot.count(), 0);
}

TEST(HostileBytes, TruncatedOrExtended) {
  Random random(54);
  const Data data = generators::generate(Generator::all_exponents, ElementType::float64, 100, random);
  for (const Operation operation : all_operations) {
    std::vector<std::byte> bytes = gather(operation, data, ElementType::float64).serialise();
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW((void)Accumulator::deserialise(std::span(bytes).first(size)), DataError)
          << name_of(operation);
    bytes.push_back(std::byte{0});
    EXPECT_THROW((void)Accumulator::deserialise(bytes), DataError) << name_of(operation);
  }
}

/// Either refused, or a state that is exactly these bytes and can be used.
void expect_refused_or_valid(const std::vector<std::byte>& bytes) {
  try {
    Accumulator state = Accumulator::deserialise(bytes);
    EXPECT_EQ(state.serialise(), bytes);
    EXPECT_GE(state.count(), 0);
    Accumulator other(state.operation());
    other.merge(state);
    const bool many = state.operation() == Operation::statistics;
    const bool extreme = state.operation() == Operation::minimum || state.operation() == Operation::maximum;
    if (!extreme || state.count() > 0) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(state.result(many ? Operation::sum : state.operation())),
                std::bit_cast<std::uint64_t>(other.result(many ? Operation::sum : state.operation())));
    }
  } catch (const DataError&) {
  }
}

TEST(HostileBytes, EveryBitFlipped) {
  Random random(55);
  for (const Operation operation : all_operations)
    for (const Generator generator :
         {Generator::uniform, Generator::all_exponents, Generator::with_specials}) {
      std::vector<std::byte> bytes =
          gather(operation, generators::generate(generator, ElementType::float64, 50, random),
                 ElementType::float64)
              .serialise();
      for (std::size_t i = 0; i < bytes.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
          bytes[i] ^= std::byte{1} << bit;
          expect_refused_or_valid(bytes);
          bytes[i] ^= std::byte{1} << bit;
        }
    }
}

TEST(HostileBytes, RandomBytesAndRandomWords) {
  Random random(56);
  const Data data = generators::generate(Generator::uniform, ElementType::float64, 50, random);
  EXPECT_THROW((void)Accumulator::deserialise({}), DataError);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(random.log_uniform(4096)));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.bits());
    EXPECT_THROW((void)Accumulator::deserialise(bytes), DataError);
  }
  for (int round = 0; round < 20'000; ++round) {
    const Operation operation =
        all_operations[static_cast<std::size_t>(random.between(0, all_operations.size() - 1))];
    std::vector<std::byte> bytes = gather(operation, data, ElementType::float64).serialise();
    const std::byte fill = random.coin() ? std::byte{0xff} : random.coin() ? std::byte{0x7f} : std::byte{0};
    const auto first =
        static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(bytes.size()) - 1));
    const std::size_t last = std::min(bytes.size(), first + static_cast<std::size_t>(random.log_uniform(64)));
    for (std::size_t i = first; i < last; ++i)
      bytes[i] = random.coin() ? fill : static_cast<std::byte>(random.bits());
    expect_refused_or_valid(bytes);
  }
}

TEST(HostileBytes, MergingHugeCountsDoesNotWrap) {
  // Doubling an accumulator 70 times passes 2^63 elements: it must be refused before anything wraps.
  Accumulator sum(Operation::sum);
  sum.add(std::vector<double>{1});
  bool refused = false;
  double expected = 1;
  for (int i = 0; i < 70 && !refused; ++i) {
    try {
      sum.merge(sum);
      expected *= 2;
    } catch (const foldline::Error&) {
      refused = true;
    }
    ASSERT_GT(sum.count(), 0);
    ASSERT_EQ(sum.result(), expected);
  }
  EXPECT_TRUE(refused);
}

// ---- exact(): every digit
// -----------------------------------------------------------------------------------------

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

TEST(AccumulatorBytes, OnlyNegativeZerosMustAddUpToZero) {
  constexpr std::size_t flag = 7;
  Accumulator zeros(Operation::sum);
  zeros.add(std::vector<double>{-0.0, -0.0});
  EXPECT_NO_THROW((void)Accumulator::deserialise(zeros.serialise()));
  Accumulator one(Operation::sum);
  one.add(std::vector<double>{1.0});
  std::vector<std::byte> bytes = one.serialise();
  ASSERT_EQ(bytes[flag], std::byte{0});
  bytes[flag] = std::byte{1};
  EXPECT_THROW((void)Accumulator::deserialise(bytes), foldline::DataError);
}

TEST(Accumulators, EveryBlockIsAddedAsItsOwnContextSays) {
  // Blocks alike, of which an accumulator may use the plan again.
  const std::vector<double> x = {0x1p60, 1, -0x1p60, 0x1p-60};
  using foldline::Accuracy;
  const foldline::Context exact = {.accuracy = Accuracy::exact, .execution = {.threads = 1}};
  const foldline::Context fast = {.accuracy = Accuracy::fast, .execution = {.threads = 1}};
  Accumulator one_fast(Operation::sum), one_exact(Operation::sum), both(Operation::sum);
  one_fast.add(x, fast);
  one_exact.add(x, exact);
  ASSERT_NE(one_fast.exact(Operation::sum), one_exact.exact(Operation::sum));
  for (const foldline::Context& context : {exact, fast, fast, exact, exact, fast}) both.add(x, context);
  Accumulator expected(Operation::sum);
  for (int i = 0; i < 3; ++i) {
    expected.merge(one_fast);
    expected.merge(one_exact);
  }
  EXPECT_EQ(both.exact(Operation::sum), expected.exact(Operation::sum));

  const auto targets = foldline::available_targets();
  for (const foldline::Target target :
       {foldline::Target::avx512, foldline::Target::avx2, foldline::Target::neon})
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) {
      EXPECT_THROW(both.add(x, {.execution = {.threads = 1, .target = target}}), InvalidArgument);
    }
}

}  // namespace
