// Integers: every operation on every type of them, bit for bit against GMP; accumulators of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "integer_cases.hpp"

namespace {

using foldline::Accumulator;
using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Operation;
using foldline::Overflow;
using foldline::OverflowError;
using foldline::VectorView;
using integer_cases::Call;
using integer_cases::Generator;
using integer_cases::Problem;
using integer_cases::Random;
using integer_cases::Words;

std::int64_t cases_wanted() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text != nullptr ? std::atoll(text) : 100'000;
}

class Integers : public testing::TestWithParam<ElementType> {};

TEST_P(Integers, EveryOperation) {
  const ElementType type = GetParam();
  int failures = 0;
  std::int64_t done = 0;
  for (std::uint64_t seed = 1; done < cases_wanted(); ++seed) {
    Problem problem(seed * 16 + static_cast<std::uint64_t>(type), type);
    for (int draw = 0; draw < 3; ++draw)  // other result types, ways and threads on the same data
      for (const Call& one : problem.calls()) {
        ++done;
        const std::string wrong = problem.check(one);
        if (wrong.empty()) continue;
        ADD_FAILURE() << wrong;
        if (++failures == 10) FAIL() << "and so on";
      }
  }
}

/// Every operation on x and y, on every target, as int64, uint64 and float64.
void expect_right(ElementType type, const Words& x, const Words& y, std::int64_t stride,
                  std::int64_t misalignment, int threads) {
  oracle::Integers oracle;
  oracle.load(type, x, y);
  const auto layout_x = cases::Layout::of_words(x, type, stride, misalignment);
  const auto layout_y = cases::Layout::of_words(y, type, stride, misalignment);
  for (const foldline::Target target : foldline::available_targets())
    for (const Operation operation : oracle::all_operations)
      for (const ElementType result : {ElementType::int64, ElementType::uint64, ElementType::float64}) {
        Call call = {operation, result};
        call.context.execution.target = target;
        call.context.execution.threads = threads;
        if (!foldline::is_floating(result)) call.way = integer_cases::Way::accumulator;
        ASSERT_EQ(integer_cases::describe(integer_cases::call(call, layout_x.view(), layout_y.view())),
                  integer_cases::describe(oracle.result(operation, result, 0, Overflow::error)))
            << describe(call) << ", of " << x.size() << ' ' << name_of(type) << ", stride " << stride
            << ", misaligned by " << misalignment;
      }
}

/// Lengths at which kernels change: up to two of the widest vectors, and around the tiles of all targets.
std::vector<std::int64_t> critical_sizes(ElementType type) {
  const std::int64_t width = foldline::size_of(type);
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 0; size <= 128 / width + 2; ++size) sizes.push_back(size);
  for (const std::int64_t vector : {16, 32, 64})
    for (const std::int64_t tiles : {1, 2})
      for (const std::int64_t more : {-1, 0, 1, 17}) sizes.push_back(256 * vector * tiles / width + more);
  return sizes;
}

TEST_P(Integers, ExtremesAtEveryCriticalSize) {
  const ElementType type = GetParam();
  Random random(3);
  for (const std::int64_t size : critical_sizes(type))
    for (const Generator generator : {Generator::all_lowest, Generator::all_highest, Generator::alternating,
                                      Generator::extremes, Generator::random_bits}) {
      const Words x = generate(generator, type, size, random);
      const Words y = generate(random.coin() ? generator : Generator::extremes, type, size, random);
      expect_right(type, x, y, 1, random.between(0, 8), 1);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Integers, AnyThreadsAndStrides) {
  const ElementType type = GetParam();
  Random random(5);
  for (const std::int64_t stride : {1, -1, 3, -2, 0})
    for (int threads = 1; threads <= 8; ++threads) {
      const Generator generator = threads % 2 == 0 ? Generator::random_bits : Generator::all_lowest;
      Words x = generate(generator, type, 20'000 + threads, random);
      Words y = generate(Generator::extremes, type, 20'000 + threads, random);
      if (stride == 0) {
        x.assign(x.size(), x.front());
        y.assign(y.size(), y.front());
      }
      expect_right(type, x, y, stride, threads - 1, threads);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, Integers, testing::ValuesIn(integer_cases::all_types),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(IntegerAxes, RandomArrays) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(cases_wanted() / 20); ++seed)
    ASSERT_EQ(integer_cases::check_random_axis(seed), "");
}

TEST(IntegerAxes, OneResultThatDoesNotFitIsAnError) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::vector<std::int64_t> data = {1, most, 2, 1};  // rows (1, most), (2, 1)
  std::vector<std::int64_t> out(2);
  const foldline::MatrixView matrix(data.data(), 2, 2);
  EXPECT_THROW(foldline::reduce_axis(Operation::sum, matrix, 1, out), OverflowError);
  foldline::reduce_axis(Operation::sum, matrix, 1, out, {}, {.overflow = Overflow::wrap});
  EXPECT_EQ(out, (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), 3}));
}

TEST(IntegerAccumulators, MixTypes) {
  Accumulator all(Operation::statistics);
  all.add(std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1, -3});
  all.add(std::vector{0x1p53, 0.5, -0.25});
  all.add(std::vector<std::uint64_t>{UINT64_MAX});
  all.add(std::vector<std::int8_t>{-128});
  const bool truth = true;
  all.add(VectorView(&truth, 1));
  EXPECT_EQ(all.exact(Operation::sum), "18464758472219033470.25");
  EXPECT_EQ(all.result<std::uint64_t>(Operation::maximum), UINT64_MAX);
  EXPECT_EQ(all.result<std::int16_t>(Operation::minimum), -128);
  EXPECT_THROW(static_cast<void>(all.result<std::int64_t>(Operation::sum)), InvalidArgument);

  // Neighbours that no double tells apart.
  Accumulator largest(Operation::maximum);
  largest.add(std::vector{0x1p53});
  EXPECT_EQ(largest.result<std::int64_t>(), std::int64_t{1} << 53);
  largest.add(std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1});
  EXPECT_EQ(largest.result<std::int64_t>(), (std::int64_t{1} << 53) + 1);
  EXPECT_EQ(largest.result<double>(), 0x1p53);

  // An integer's zero is +0.
  Accumulator zero(Operation::sum);
  zero.add(std::vector{-0.0});
  EXPECT_TRUE(std::signbit(zero.result<double>()));
  zero.add(std::vector{0});
  EXPECT_FALSE(std::signbit(zero.result<double>()));
}

TEST(IntegerResults, OfRangesOfDoubles) {
  const auto range = [](std::vector<double> x, foldline::Overflow overflow = foldline::Overflow::error) {
    return foldline::range<std::uint64_t>(VectorView(x.data(), std::ssize(x)), {.overflow = overflow});
  };
  EXPECT_EQ(range({0x1p64, 1}), UINT64_MAX);
  EXPECT_EQ(range({0x1p70 + 0x1p20, 0x1p70, 0x1p70}), std::uint64_t{1} << 20);
  EXPECT_EQ(range({-0x1p63, 0x1p63 - 1024}), UINT64_MAX - 1023);
  EXPECT_EQ(range({0.75, -0.25}), 1u);
  EXPECT_EQ(range({0x1p51 + 0.5, 0.5}), std::uint64_t{1} << 51);
  EXPECT_EQ(range({0x1p-1074}), 0u);
  EXPECT_EQ(range({-3, 0}), 3u);
  EXPECT_THROW((void)range({0x1p65, 1}), OverflowError);
  EXPECT_EQ(range({0x1p65, 1}, foldline::Overflow::wrap), UINT64_MAX);
  EXPECT_EQ(range({-0x1p1000, 12}, foldline::Overflow::wrap), 12u);
  for (const std::vector<double>& no_integer :
       {std::vector{0x1p70, 0.5}, {1, 0.5}, {0x1p-1074, 0}, {0x1p-10, 0x1p-500}})
    EXPECT_THROW((void)range(no_integer, foldline::Overflow::wrap), InvalidArgument);
  EXPECT_THROW((void)range({std::numeric_limits<double>::infinity(), 0}), OverflowError);
}

TEST(IntegerAccumulators, ExactDigits) {
  Accumulator dot(Operation::dot);
  const std::vector<std::uint64_t> x(3, UINT64_MAX);
  dot.add(x, x);
  EXPECT_EQ(dot.exact(Operation::dot), "1020847100762815390279443357853047324675");
  Accumulator mean(Operation::mean);
  mean.add(std::vector{-7, -8});
  EXPECT_EQ(mean.exact(Operation::mean), "-15 / 2");
}

/// The stored form of an accumulator whose smallest and largest element both have this key.
std::vector<std::byte> stored_extremum(std::uint64_t high, std::uint64_t low) {
  Accumulator extremum(Operation::maximum);
  extremum.add(std::vector<std::int64_t>{1});
  std::vector<std::byte> bytes = extremum.serialise();
  for (const std::size_t key : {std::size_t{16}, std::size_t{32}}) {  // docs/serialisation.md
    std::memcpy(bytes.data() + key, &low, 8);
    std::memcpy(bytes.data() + key + 8, &high, 8);
  }
  return bytes;
}

TEST(IntegerAccumulators, StoredExtremaAreDoublesOrIntegers) {
  constexpr std::uint64_t unit = 0x3fff;  // exponent of 1
  constexpr std::uint64_t one = std::uint64_t{1} << 63;
  const auto read = [](std::uint64_t high, std::uint64_t low) {
    return Accumulator::deserialise(stored_extremum(high, low)).exact(Operation::maximum);
  };
  EXPECT_EQ(read(unit, one), "1");
  EXPECT_EQ(read(~unit, ~one), "-1");
  EXPECT_EQ(read(unit - 1, one), "0.5");
  EXPECT_EQ(read(unit + 63, UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(read(~(unit + 63), ~one), "-9223372036854775808");
  EXPECT_EQ(read(unit + 62, UINT64_MAX - 1), "9223372036854775807");
  const auto refused = [&](std::uint64_t high, std::uint64_t low) {
    EXPECT_THROW(read(high, low), foldline::DataError) << std::hex << high << ' ' << low;
  };
  refused(unit + 62, UINT64_MAX);      // 2^63 - 1/2
  refused(unit + 64, UINT64_MAX);      // 2^65 - 2: neither 64 bits nor 53
  refused(~(unit + 63), ~UINT64_MAX);  // 1 - 2^64
  refused(~(unit + 63), ~(one + 1));   // -2^63 - 1
  refused(unit, one >> 1);             // does not begin with a 1
  refused(unit, 0);                    // a zero with an exponent
  refused(0, one);                     // below every double
  refused(unit + 1100, one);           // above every double, no infinity
  refused(0x8000, one);                // 16 bits of exponent
}

}  // namespace
