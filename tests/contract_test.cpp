// The contract of results, line by line, for every element type and target.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using cases::VectorView;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Values = std::vector<double>;

class Contract : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {
 protected:
  ElementType type() const { return std::get<0>(GetParam()); }
  Context context() const { return {.execution = {.threads = 1, .target = std::get<1>(GetParam())}}; }
  double smallest() const { return std::ldexp(1.0, oracle::format_of(type()).min_place()); }
  double largest() const {
    const oracle::Format format = oracle::format_of(type());
    return std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.max_exponent);
  }

  /// Bit for bit, in the type of the elements; a NaN must be the canonical one. The same must hold when the
  /// vector is long enough for the vectorised paths, with `filler` (which must not matter) behind it.
  void expect(Operation operation, const Values& x, double expected, std::int64_t ddof = 0) const {
    expect_pair(operation, x, {}, expected, ddof);
  }
  void expect_pair(Operation operation, const Values& x, const Values& y, double expected,
                   std::int64_t ddof = 0) const {
    const cases::Layout left(x, type()), right(y, type());
    const bool extreme = operation == Operation::minimum || operation == Operation::maximum;
    const ElementType result = extreme ? ElementType::float64 : type();
    const std::uint64_t bits =
        std::isnan(expected) ? oracle::canonical_nan(result) : oracle::encode(expected, result);
    EXPECT_EQ(cases::hex(cases::call(operation, left.view(), right.view(), result, ddof, context())),
              cases::hex(bits))
        << name_of(operation) << " of " << testing::PrintToString(x) << ", " << testing::PrintToString(y);
  }
  /// For every length up to some that cross vectors and tiles, `special` at the front, inside and at the end.
  void expect_anywhere(Operation operation, double common, const Values& specials, double expected) const {
    for (const std::size_t size : {3u, 9u, 64u, 257u, 1000u, 4099u})
      for (const std::size_t place : {std::size_t{0}, size / 2, size - specials.size()}) {
        Values x(size, common);
        for (std::size_t i = 0; i < specials.size(); ++i)
          x[std::min(place, size - specials.size()) + i] = specials[i];
        expect_pair(operation, x, Values(size, 1.0), expected);
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Contract,
                         testing::Combine(testing::ValuesIn(oracle::all_types),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

TEST_P(Contract, EmptySumIsPositiveZero) {
  expect(Operation::sum, {}, 0.0);
  expect(Operation::abs_sum, {}, 0.0);
  expect(Operation::two_norm, {}, 0.0);
  expect_pair(Operation::dot, {}, {}, 0.0);
}

TEST_P(Contract, EmptyMeanIsNaN) {
  expect(Operation::mean, {}, nan);
  expect_pair(Operation::weighted_mean, {}, {}, nan);
}

TEST_P(Contract, EmptyRootMeanSquareIsNaN) {
  expect(Operation::root_mean_square, {}, nan);
  expect(Operation::root_mean_square, {-3}, 3.0);
  expect(Operation::root_mean_square, {1, 7}, 5.0);
  expect(Operation::root_mean_square, {1, -7, 5, 5}, 5.0);
}

TEST_P(Contract, VarianceOfTooFewIsNaN) {
  expect(Operation::variance, {}, nan);
  expect(Operation::variance, {}, nan, 1);
  expect(Operation::variance, {2}, 0.0);
  expect(Operation::variance, {2}, nan, 1);
  expect(Operation::variance, {2, 3}, nan, 2);
  expect(Operation::variance, {2, 3}, nan, 3);
  expect(Operation::variance, {2, 3}, nan, std::numeric_limits<std::int64_t>::max());
  expect(Operation::variance, {2, 4, 6}, 8.0, 2);
  for (const Operation operation : {Operation::standard_deviation, Operation::standard_error}) {
    expect(operation, {}, nan);
    expect(operation, {}, nan, 1);
    expect(operation, {2}, 0.0);
    expect(operation, {2}, nan, 1);
    expect(operation, {2, 3}, nan, 2);
    expect(operation, {2, 3}, nan, std::numeric_limits<std::int64_t>::max());
  }
}

TEST_P(Contract, EmptyExtremaAreAnError) {
  const cases::Layout empty({}, type());
  EXPECT_THROW((void)foldline::minmax(empty.view(), context()), foldline::InvalidArgument);
  EXPECT_THROW((void)foldline::min(empty.view(), context()), foldline::InvalidArgument);
  EXPECT_THROW((void)foldline::max(empty.view(), context()), foldline::InvalidArgument);
  EXPECT_THROW((void)foldline::range(empty.view(), context()), foldline::InvalidArgument);
}

TEST_P(Contract, EmptyStatisticsHaveNaNExtrema) {
  const cases::Layout empty({}, type());
  const auto results = cases::call_statistics(empty.view(), type(), 0, context());
  const std::uint64_t bad = oracle::canonical_nan(type());
  EXPECT_EQ(results, (std::vector<std::uint64_t>{0, 0, 0, bad, bad, bad, bad, bad}));
}

TEST_P(Contract, OnlyNegativeZeros) {
  for (const std::size_t size : {1u, 2u, 7u, 64u, 300u, 5000u}) {
    const Values x(size, -0.0), ones(size, 1.0);
    expect(Operation::sum, x, -0.0);
    expect(Operation::mean, x, -0.0);
    expect(Operation::abs_sum, x, 0.0);
    expect(Operation::two_norm, x, 0.0);
    expect(Operation::root_mean_square, x, 0.0);
    expect(Operation::variance, x, 0.0);
    expect(Operation::standard_deviation, x, 0.0);
    expect(Operation::standard_error, x, 0.0);
    expect(Operation::range, x, 0.0);
    expect_pair(Operation::dot, x, ones, 0.0);
    expect_pair(Operation::weighted_mean, x, ones, 0.0);
    expect(Operation::minimum, x, -0.0);
    expect(Operation::maximum, x, -0.0);
  }
}

TEST_P(Contract, OtherExactZerosArePositive) {
  expect_anywhere(Operation::sum, -0.0, {0.0}, 0.0);
  expect_anywhere(Operation::sum, -0.0, {1.0, -1.0}, 0.0);
  expect_anywhere(Operation::mean, -0.0, {0.0}, 0.0);
  expect_anywhere(Operation::mean, -0.0, {-2.0, 2.0}, 0.0);
  expect(Operation::sum, {0.0}, 0.0);
  expect_pair(Operation::dot, {1, -1}, {1, 1}, 0.0);
  expect_pair(Operation::dot, {-0.0, -0.0}, {1, 1}, 0.0);
  expect_pair(Operation::weighted_mean, {1, -1}, {-1, -1}, 0.0);
  expect(Operation::variance, {-3, -3}, 0.0);
}

TEST_P(Contract, NonzeroThatRoundsToZeroKeepsItsSign) {
  const double tiny = smallest();
  expect(Operation::mean, {-tiny, 0, 0}, -0.0);
  expect(Operation::mean, {tiny, 0, 0}, 0.0);
  expect(Operation::mean, {-tiny, -0.0}, -0.0);  // a tie, to even
  expect_pair(Operation::dot, {-tiny}, {tiny}, -0.0);
  expect_pair(Operation::dot, {tiny, tiny}, {tiny, -2 * tiny}, -0.0);
  expect_pair(Operation::weighted_mean, {-tiny, 0, 0}, {1, 1, 1}, -0.0);
  expect_pair(Operation::weighted_mean, {tiny, 0, 0}, {-1, -1, -1}, 0.0);
  expect_pair(Operation::weighted_mean, {tiny, 0}, {-1, 8}, -0.0);
  const cases::Layout x(Values{-0x1p-1074}, ElementType::float64);
  EXPECT_EQ(cases::call(Operation::sum, x.view(), {}, ElementType::float32, 0, context()), 0x80000000u);
  EXPECT_EQ(cases::call(Operation::sum, x.view(), {}, ElementType::half, 0, context()), 0x8000u);
}

TEST_P(Contract, NaNWins) {
  for (const Operation operation :
       {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square, Operation::mean,
        Operation::variance, Operation::dot, Operation::weighted_mean, Operation::minimum,
        Operation::maximum}) {
    expect_anywhere(operation, 1.0, {nan}, nan);
    expect_anywhere(operation, 1.0, {-nan}, nan);
    expect_anywhere(operation, 1.0, {nan, inf}, nan);
    expect_anywhere(operation, 1.0, {-inf, nan}, nan);
  }
}

TEST_P(Contract, NaNIsTheCanonicalOneWhateverItsPayload) {
  const std::uint64_t canonical = oracle::canonical_nan(type());
  const std::uint64_t sign = std::uint64_t{1} << (oracle::format_of(type()).storage_bits - 1);
  for (const std::uint64_t bits :
       {canonical, canonical | sign, canonical | 1, oracle::infinity(type(), false) | 1,
        oracle::infinity(type(), true) | 1, ~std::uint64_t{0}})
    for (const Operation operation :
         {Operation::sum, Operation::abs_sum, Operation::two_norm, Operation::root_mean_square,
          Operation::mean, Operation::variance, Operation::dot, Operation::weighted_mean}) {
      const VectorView x(&bits, type(), 1);  // little-endian: the low bytes come first
      EXPECT_EQ(cases::call(operation, x, x, type(), 0, context()), canonical) << name_of(operation);
      EXPECT_EQ(cases::call(operation, x, x, ElementType::float64, 0, context()), 0x7ff8000000000000u);
      EXPECT_EQ(cases::call(operation, x, x, ElementType::float32, 0, context()), 0x7fc00000u);
    }
}

TEST_P(Contract, InfinitiesOfOneSignWin) {
  for (const Operation operation :
       {Operation::sum, Operation::mean, Operation::dot, Operation::weighted_mean}) {
    expect_anywhere(operation, 1.0, {inf}, inf);
    expect_anywhere(operation, 1.0, {-inf}, -inf);
    expect_anywhere(operation, -1.0, {inf, inf}, inf);
    expect_anywhere(operation, largest(), {-inf}, -inf);
  }
}

TEST_P(Contract, InfinitiesOfBothSignsAreNaN) {
  for (const Operation operation :
       {Operation::sum, Operation::mean, Operation::dot, Operation::weighted_mean})
    expect_anywhere(operation, 1.0, {inf, -inf}, nan);
}

TEST_P(Contract, ZeroTimesInfinityIsNaN) {
  for (const double zero : {0.0, -0.0})
    for (const double infinite : {inf, -inf}) {
      expect_pair(Operation::dot, {1, zero, 2}, {1, infinite, 2}, nan);
      expect_pair(Operation::dot, {1, infinite, 2}, {1, zero, 2}, nan);
      expect_pair(Operation::weighted_mean, {1, infinite}, {1, zero}, nan);
    }
  expect_pair(Operation::dot, {inf, -1}, {-2, inf}, -inf);
  expect_pair(Operation::dot, {inf, 1}, {-2, inf}, nan);
  expect_pair(Operation::dot, {inf, -inf}, {1, -1}, inf);
}

TEST_P(Contract, NormAndAbsSumOfInfinitiesAreInfinite) {
  for (const Operation operation : {Operation::abs_sum, Operation::two_norm, Operation::root_mean_square}) {
    expect_anywhere(operation, 1.0, {inf, -inf}, inf);
    expect_anywhere(operation, -1.0, {-inf}, inf);
  }
}

TEST_P(Contract, VarianceWithAnInfinityIsNaN) {
  expect_anywhere(Operation::variance, 1.0, {inf}, nan);
  expect_anywhere(Operation::variance, 1.0, {-inf, inf}, nan);
  for (const Operation operation : {Operation::standard_deviation, Operation::standard_error}) {
    expect_anywhere(operation, 1.0, {inf}, nan);
    expect_anywhere(operation, 1.0, {nan}, nan);
  }
  expect_anywhere(Operation::range, 1.0, {inf}, inf);
  expect_anywhere(Operation::range, 1.0, {-inf}, inf);
  expect_anywhere(Operation::range, 1.0, {-inf, inf}, inf);
  expect_anywhere(Operation::range, 1.0, {nan}, nan);
  expect(Operation::range, {inf, inf}, nan);
  expect(Operation::range, {-inf}, nan);
}

TEST_P(Contract, WeightedMeanWithWeightsThatCancelIsNaN) {
  expect_pair(Operation::weighted_mean, {1, 2}, {1, -1}, nan);
  expect_pair(Operation::weighted_mean, {1, 2}, {0, 0}, nan);
  expect_pair(Operation::weighted_mean, {1, 2}, {-0.0, -0.0}, nan);
  expect_pair(Operation::weighted_mean, {inf, 2}, {1, -1}, nan);
  expect_pair(Operation::weighted_mean, {0, 0}, {1, -1}, nan);
}

TEST_P(Contract, WeightsMayHaveAnySign) {
  expect_pair(Operation::weighted_mean, {2, 4}, {-1, -1}, 3.0);
  expect_pair(Operation::weighted_mean, {2, 4}, {-1, 2}, 6.0);
  expect_pair(Operation::weighted_mean, {inf, 4}, {-1, 2}, -inf);
  expect_pair(Operation::weighted_mean, {inf, 4}, {1, -2}, -inf);
  expect_pair(Operation::weighted_mean, {1, 4}, {inf, 2}, nan);
}

TEST_P(Contract, NoIntermediateOverflow) {
  const double huge = largest();
  expect(Operation::sum, {huge, huge, -huge}, huge);
  expect(Operation::mean, {huge, huge, huge}, huge);
  expect(Operation::mean, {huge, -huge, huge, huge}, huge / 2);
  expect(Operation::abs_sum, {huge, huge}, inf);
  expect_pair(Operation::dot, {huge, huge}, {huge, -huge}, 0.0);
  expect_pair(Operation::dot, {huge, -huge, 1}, {huge, huge, 1}, 1.0);
  expect(Operation::two_norm, {huge}, huge);
  expect(Operation::two_norm, {huge, huge}, inf);
  expect(Operation::root_mean_square, {huge, huge}, huge);
  expect(Operation::variance, {huge, huge}, 0.0);
  expect(Operation::variance, {huge, -huge}, inf);
  expect(Operation::standard_deviation, {huge, -huge}, huge);  // though its square is out of range
  expect(Operation::standard_deviation, {huge, -huge}, inf, 1);
  expect(Operation::standard_error, {huge, -huge}, huge, 1);
  expect(Operation::range, {huge, -huge}, inf);
  expect(Operation::range, {huge, huge / 2}, huge / 2);
  expect_pair(Operation::weighted_mean, {huge, huge}, {huge, huge}, huge);
}

TEST_P(Contract, NoIntermediateUnderflow) {
  const double tiny = smallest();
  expect(Operation::two_norm, {3 * tiny, 4 * tiny}, 5 * tiny);
  expect(Operation::two_norm, {tiny}, tiny);
  expect(Operation::root_mean_square, {tiny, 7 * tiny}, 5 * tiny);
  expect(Operation::standard_deviation, {tiny, 3 * tiny}, tiny);
  expect(Operation::range, {3 * tiny, -tiny}, 4 * tiny);
  expect_pair(Operation::weighted_mean, {tiny, tiny}, {tiny, tiny}, tiny);
  expect_pair(Operation::weighted_mean, {2, 4}, {tiny, tiny}, 3.0);
  expect(Operation::mean, {tiny, tiny}, tiny);
  expect(Operation::sum, {tiny, 2 * tiny}, 3 * tiny);
}

TEST_P(Contract, InfinityOnlyIfTheRoundedResultOverflows) {
  const oracle::Format format = oracle::format_of(type());
  const double huge = largest(), unit = std::ldexp(1.0, format.max_exponent - format.precision + 1);
  expect(Operation::sum, {huge, unit / 4}, huge);
  expect(Operation::sum, {huge, unit / 2}, inf);  // the tie goes to even, beyond the range
  expect(Operation::sum, {-huge, -unit / 2}, -inf);
  expect(Operation::sum, {huge, unit / 2, -smallest()}, huge);
  expect(Operation::sum, {huge, unit}, inf);
}

TEST_P(Contract, RoundsHalfToEven) {
  const double ulp = std::ldexp(1.0, 1 - oracle::format_of(type()).precision);
  expect(Operation::sum, {1, ulp / 2}, 1);
  expect(Operation::sum, {1, ulp, ulp / 2}, 1 + 2 * ulp);
  expect(Operation::sum, {1, ulp / 2, smallest()}, 1 + ulp);
  expect(Operation::sum, {1 + ulp, ulp / 2, -smallest()}, 1 + ulp);
  expect(Operation::mean, {1, 1 + ulp}, 1);
  expect(Operation::mean, {1 + ulp, 1 + 2 * ulp}, 1 + 2 * ulp);
  expect(Operation::mean, {smallest(), 0}, 0.0);
  expect(Operation::mean, {smallest(), 2 * smallest()}, 2 * smallest());
}

TEST_P(Contract, NegativeZeroIsBelowPositiveZero) {
  expect_anywhere(Operation::minimum, 0.0, {-0.0}, -0.0);
  expect_anywhere(Operation::maximum, -0.0, {0.0}, 0.0);
  expect_anywhere(Operation::minimum, 1.0, {0.0, -0.0}, -0.0);
  expect_anywhere(Operation::maximum, -1.0, {0.0, -0.0}, 0.0);
  expect_anywhere(Operation::minimum, 1.0, {-inf}, -inf);
  expect_anywhere(Operation::maximum, 1.0, {inf}, inf);
  expect_anywhere(Operation::maximum, inf, {-inf}, inf);
  expect_anywhere(Operation::minimum, smallest(), {-smallest()}, -smallest());
  expect(Operation::maximum, {-inf, -inf}, -inf);
}

TEST_P(Contract, DdofIsTheDivisorsCorrection) {
  expect(Operation::variance, {1, 2, 3, 4}, 1.25);
  expect(Operation::variance, {1, 3, 5, 7, 9}, 8.0);
  expect(Operation::variance, {1, 3, 5, 7, 9}, 10.0, 1);
  expect(Operation::variance, {1, 3, 5, 7, 9}, 40.0, 4);
  expect(Operation::standard_deviation, {2, 4, 4, 4, 5, 5, 7, 9}, 2.0);
  expect(Operation::standard_deviation, {1, 3}, 1.0);
  expect(Operation::standard_error, {1, 3}, 1.0, 1);
  expect(Operation::range, {5, -2, 3}, 7.0);
}

}  // namespace
