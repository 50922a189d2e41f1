// Accumulators from bytes that are damaged, or that nobody has written.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "accumulator_cases.hpp"

namespace {

using accumulator_cases::all_operations;
using accumulator_cases::gather;
using cases::ElementType;
using cases::Operation;
using foldline::Accumulator;
using foldline::DataError;
using generators::Data;
using generators::Generator;
using generators::Random;

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

}  // namespace
