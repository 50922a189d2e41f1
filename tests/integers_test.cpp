// Integers: every operation on every type of them, bit for bit against GMP; overflow; what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "integer_cases.hpp"

namespace {

using foldline::Accumulator;
using foldline::Context;
using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Operation;
using foldline::Overflow;
using foldline::OverflowError;
using foldline::Scalar;
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
    for (const Operation operation : integer_cases::operations)
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

/// Through the typed interface: the types that results have by default, by static_assert, and their values.
template <class T>
class TypedIntegers : public testing::Test {};
using Elements = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                std::uint16_t, std::uint32_t, std::uint64_t, long long, unsigned long long>;
TYPED_TEST_SUITE(TypedIntegers, Elements);

TYPED_TEST(TypedIntegers, DefaultResults) {
  using T = TypeParam;
  using Sum = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  const std::vector<T> x = {3, 0, 4, 5};
  const std::vector<T> y = {2, 7, 1, 1};
  const auto expect = []<class Expected>(auto actual, Expected expected) {
    static_assert(std::same_as<decltype(actual), Expected>);
    EXPECT_EQ(actual, expected);
  };
  expect(foldline::sum(x), Sum{12});
  expect(foldline::vector_abs_sum(x), Sum{12});
  expect(foldline::dot(x, y), Sum{15});
  expect(foldline::min(x), T{0});
  expect(foldline::max(x), T{5});
  expect(foldline::minmax(x).maximum, T{5});
  expect(foldline::mean(x), 3.0);
  expect(foldline::variance(x), 3.5);
  expect(foldline::vector_two_norm(x), std::sqrt(50.0));
  expect(foldline::weighted_mean(x, y), 15.0 / 11);
  const auto all = foldline::statistics(x, {.ddof = 1});
  expect(all.minimum, T{0});
  expect(all.maximum, T{5});
  expect(all.sum, Sum{12});
  expect(all.abs_sum, Sum{12});
  expect(all.mean, 3.0);
  expect(all.variance, 14.0 / 3);
  expect(all.two_norm, std::sqrt(50.0));
  expect(foldline::sum<double>(x), 12.0);
  expect(foldline::sum<float>(x), 12.0F);
  expect(foldline::sum<std::int8_t>(x), std::int8_t{12});
  expect(foldline::mean<foldline::half>(x).bits, foldline::half(3).bits);
}

TEST(IntegerTypes, BoolsOfAnyByte) {
  std::vector<std::uint8_t> bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i);
  const VectorView bools(bytes.data(), ElementType::boolean, 256);
  for (const foldline::Target target : foldline::available_targets()) {
    const Context context = {.execution = {.target = target}};
    EXPECT_EQ(foldline::sum<std::int64_t>(bools, context), 255);
    EXPECT_EQ(foldline::dot<std::int64_t>(bools, bools, context), 255);
    EXPECT_EQ(foldline::mean(bools, context), 255.0 / 256);
    EXPECT_FALSE(foldline::min<bool>(bools, context));
    EXPECT_TRUE(foldline::max<bool>(bools, context));
    EXPECT_TRUE(foldline::min<bool>(bools.part(1, 255), context));
  }
  const bool truths[] = {true, true, false};
  static_assert(std::same_as<decltype(foldline::sum(truths)), std::int64_t>);
  static_assert(std::same_as<decltype(foldline::max(truths)), bool>);
  EXPECT_EQ(foldline::sum(truths), 2);
}

template <class F>
std::string overflow_of(F f) {
  try {
    f();
  } catch (const OverflowError& error) {
    return error.what();
  }
  return "no OverflowError";
}

TEST(IntegerOverflow, SaysWhatDoesNotFitWhereAndWhatToDo) {
  const std::vector<std::int64_t> x = {std::numeric_limits<std::int64_t>::max(), 1};
  EXPECT_EQ(overflow_of([&] { (void)foldline::sum(x); }),
            "sum: the result 9223372036854775808 does not fit int64; ask for a floating-point type, or with "
            "Overflow::wrap for the result modulo 2^64");
  EXPECT_EQ(
      overflow_of([&] { (void)foldline::dot(x, x); }),
      "dot: the result 85070591730234615847396907784232501250 does not fit int64; ask for a floating-point "
      "type, or with Overflow::wrap for the result modulo 2^64");
  EXPECT_EQ(
      overflow_of([&] { (void)foldline::vector_abs_sum<std::int8_t>(std::vector<int>{-100, 28}); }),
      "abs_sum: the result 128 does not fit int8; ask for a floating-point type or a wider one, or with "
      "Overflow::wrap for the result modulo 2^8");
  EXPECT_EQ(overflow_of([&] { (void)foldline::min<std::uint16_t>(std::vector<int>{-1, 28}); }).substr(0, 42),
            "minimum: the result -1 does not fit uint16");
  EXPECT_EQ(overflow_of([] { (void)foldline::sum<std::int64_t>(std::vector{1.0, std::nan("")}); }),
            "sum: the result nan does not fit int64; ask for a floating-point type");
}

TEST(IntegerOverflow, IsThatOfTheFirstResultForAnyNumberOfThreads) {
  constexpr std::int64_t results = 3000, length = 100;
  std::vector<int> rows(results * length), columns(results * length);
  for (std::int64_t i = 0; i < results; ++i)
    rows[static_cast<std::size_t>(i * length)] = columns[static_cast<std::size_t>(i)] =
        static_cast<int>(100 + i);
  std::vector<std::int8_t> out(results);
  for (const int threads : {1, 2, 5})
    for (const std::int64_t axis : {0, 1}) {
      const foldline::MatrixView matrix = axis == 1 ? foldline::MatrixView(rows.data(), results, length)
                                                    : foldline::MatrixView(columns.data(), length, results);
      EXPECT_TRUE(overflow_of([&] {
                    foldline::reduce_axis(Operation::sum, matrix, axis, out, {},
                                          {.execution = {.threads = threads}});
                  }).starts_with("sum: the result 128 does not fit int8"))
          << threads << ' ' << axis;
    }
}

TEST(IntegerOverflow, WrapsAsTwosComplementDoes) {
  constexpr Context wrap = {.overflow = Overflow::wrap};
  Random random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(random.between(1, 300)));
    std::vector<std::int64_t> y(x.size());
    std::uint64_t sum = 0;
    std::uint64_t dot = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<std::int64_t>(random.bits());
      y[i] = static_cast<std::int64_t>(random.bits());
      sum += static_cast<std::uint64_t>(x[i]);
      dot += static_cast<std::uint64_t>(x[i]) * static_cast<std::uint64_t>(y[i]);
    }
    EXPECT_EQ(foldline::sum(x, wrap), static_cast<std::int64_t>(sum));
    EXPECT_EQ(foldline::sum<std::uint64_t>(x, wrap), sum);
    EXPECT_EQ(foldline::sum<std::int8_t>(x, wrap), static_cast<std::int8_t>(sum));
    EXPECT_EQ(foldline::dot(x, y, wrap), static_cast<std::int64_t>(dot));
    EXPECT_EQ(foldline::dot<std::uint32_t>(x, y, wrap), static_cast<std::uint32_t>(dot));
    EXPECT_EQ(foldline::statistics(x, {}, wrap).sum, static_cast<std::int64_t>(sum));
  }
  EXPECT_EQ(foldline::vector_abs_sum(std::vector{std::numeric_limits<std::int64_t>::min()}, wrap),
            std::numeric_limits<std::int64_t>::min());
}

TEST(IntegerOverflow, HeldUntilTheResultIsAskedFor) {
  // What overflows on the way does not matter.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(foldline::sum(std::vector<std::int64_t>{most, most, most, -most, -most, -1}), most - 1);
  EXPECT_EQ(foldline::sum(std::vector<std::uint64_t>(3, 6148914691236517205U)), UINT64_MAX);
  EXPECT_THROW((void)foldline::sum(std::vector<std::uint64_t>(3, 6148914691236517206U)), OverflowError);
  EXPECT_EQ(foldline::variance(std::vector<std::int64_t>{-most - 1, most, -most - 1, most}), 0x1p126);
}

TEST(IntegerResults, OfFloatingPointVectors) {
  EXPECT_EQ(foldline::sum<std::int64_t>(std::vector{0.5, 0.25, 0.25}), 1);
  EXPECT_EQ(foldline::sum<std::uint64_t>(std::vector{0x1p64, -1.0}), UINT64_MAX);
  EXPECT_EQ(foldline::sum<std::int64_t>(std::vector{1e308, 7.0, -1e308}), 7);
  EXPECT_EQ(foldline::max<std::int64_t>(std::vector{-0x1p63, -0x1p63}),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(foldline::dot<int>(std::vector{-0.5F, 3.0F}, std::vector{2.0F, 2.0F}), 5);
  EXPECT_EQ(foldline::sum<int>(std::vector{0x1p100, 5.0}, {.overflow = Overflow::wrap}), 5);
  EXPECT_EQ(foldline::sum<int>(std::vector<double>{-0.0}), 0);
  EXPECT_THROW((void)foldline::sum<int>(std::vector{0.5}), InvalidArgument);
  EXPECT_THROW((void)foldline::sum<int>(std::vector{0.5}, {.overflow = Overflow::wrap}), InvalidArgument);
  EXPECT_THROW((void)foldline::min<int>(std::vector{0x1p-1074}), InvalidArgument);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Overflow overflow : {Overflow::error, Overflow::wrap}) {
    EXPECT_THROW((void)foldline::sum<int>(std::vector{infinity}, {.overflow = overflow}), OverflowError);
    EXPECT_THROW((void)foldline::max<int>(std::vector{infinity, 1.0}, {.overflow = overflow}), OverflowError);
    EXPECT_THROW((void)foldline::max<int>(std::vector{std::nan(""), 1.0}, {.overflow = overflow}),
                 OverflowError);
  }
}

TEST(IntegerResults, OneExtremumNeedNotFitForTheOther) {
  const std::vector<int> x = {-1, 300, 7};
  EXPECT_EQ(foldline::min<std::int8_t>(x), -1);
  EXPECT_EQ(foldline::max<std::uint16_t>(x), 300);
  EXPECT_THROW((void)foldline::minmax<std::int8_t>(x), OverflowError);
}

TEST(IntegerResults, OfNothing) {
  const std::vector<std::int32_t> none;
  EXPECT_EQ(foldline::sum(none), 0);
  EXPECT_EQ(foldline::dot(none, none), 0);
  EXPECT_EQ(foldline::vector_abs_sum(none), 0);
  EXPECT_FALSE(std::signbit(foldline::sum<double>(none)));
  EXPECT_TRUE(std::isnan(foldline::mean(none)));
  EXPECT_TRUE(std::isnan(foldline::variance(none)));
  EXPECT_THROW((void)foldline::min(none), InvalidArgument);
  EXPECT_THROW((void)foldline::max(none), InvalidArgument);
  EXPECT_THROW((void)foldline::statistics(none), InvalidArgument);
  EXPECT_TRUE(std::isnan(foldline::statistics<double>(none).minimum));
}

TEST(IntegerResults, OfOtherKindsAreRefused) {
  Accumulator all(Operation::statistics);
  all.add(std::vector{1, 2});
  for (const Operation operation : {Operation::mean, Operation::variance, Operation::two_norm})
    EXPECT_THROW(static_cast<void>(all.rounded(operation, ElementType::int32)), InvalidArgument);
  EXPECT_EQ(all.rounded(Operation::sum, ElementType::uint8), Scalar(std::uint8_t{3}));
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

TEST(Scalars, AreOneNumberOfOneType) {
  const Scalar minus(std::int16_t{-2});
  EXPECT_EQ(minus.type(), ElementType::int16);
  EXPECT_EQ(minus.as<std::int16_t>(), -2);
  EXPECT_EQ(minus.signed_integer(), -2);
  EXPECT_EQ(minus.to_double(), -2.0);
  EXPECT_EQ(Scalar(UINT64_MAX).to_double(), 0x1p64);
  EXPECT_EQ(Scalar(foldline::half(1.5F)).floating(), 1.5);
  EXPECT_EQ(Scalar().as<double>(), 0.0);
  EXPECT_NE(Scalar(0.0), Scalar(-0.0));
  EXPECT_NE(Scalar(std::int8_t{1}), Scalar(true));
  try {
    static_cast<void>(minus.as<int>());
    ADD_FAILURE() << "was converted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "scalar: it is int16 and was asked for as int32; ask for its own type");
  }
}

}  // namespace
