// Accumulators: results of every operation, states, bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accumulator_cases.hpp"

namespace {

using accumulator_cases::all_operations;
using accumulator_cases::gather;
using accumulator_cases::takes_two;
using cases::ElementType;
using cases::Layout;
using cases::Operation;
using foldline::Accumulator;
using foldline::DataError;
using foldline::InvalidArgument;
using generators::Data;
using generators::Generator;
using generators::Random;

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
