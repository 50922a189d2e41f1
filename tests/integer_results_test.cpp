// Results of integers: their types, overflow, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
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
using integer_cases::Random;

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
