// Reductions along an axis against the oracle, vector by vector: every operation, type, layout, axis and
// target.
#include "foldline/axes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "axes_cases.hpp"
#include "cases.hpp"

namespace {

using axes_cases::Call;
using axes_cases::Extents;
using axes_cases::Memory;
using axes_cases::Placement;
using foldline::ArrayView;
using foldline::Context;
using foldline::ElementType;
using foldline::Layout;
using foldline::MatrixView;
using foldline::Operation;
using generators::Random;

Extents without(const Extents& shape, std::int64_t axis) {
  Extents rest = shape;
  rest.erase(rest.begin() + axis);
  return rest;
}

class Axes : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {
 protected:
  ElementType type() const { return std::get<0>(GetParam()); }
  Context context(int threads = 1) const {
    return {.execution = {.threads = threads, .target = std::get<1>(GetParam())}};
  }

  /// Every operation along one axis of the array placed so.
  void check(const Placement& placement, std::int64_t axis, int threads = 1) {
    Memory array(placement, type());
    axes_cases::fill(array, axis, type(), random_);
    for (const Operation operation : oracle::one_vector_operations) {
      if (oracle::needs_elements(operation) && placement.shape[static_cast<std::size_t>(axis)] == 0) continue;
      const Call call = {operation, axis, type(), 0, context(threads)};
      ASSERT_EQ(axes_cases::check(array, call, axes_cases::dense(without(placement.shape, axis))), "");
    }
  }

  Random random_{77};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Axes,
                         testing::Combine(testing::ValuesIn(oracle::all_types),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

TEST_P(Axes, ShapesAroundBoundaries) {
  constexpr std::array sizes = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 65};
  for (const std::int64_t rows : sizes)
    for (const std::int64_t columns : sizes)
      for (const std::int64_t axis : {0, 1}) {
        check(axes_cases::dense({rows, columns}), axis);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Axes, LongAndThin) {
  for (const Extents& shape :
       {Extents{1, 700}, Extents{700, 1}, Extents{1500, 3}, Extents{3, 1500}, Extents{777, 5},
        Extents{12, 333}, Extents{300, 12}, Extents{5, 129}, Extents{129, 31}})
    for (const std::int64_t axis : {0, 1}) {
      check(axes_cases::dense(shape), axis, static_cast<int>(random_.between(1, 3)));
      if (HasFatalFailure()) return;
    }
}

TEST_P(Axes, LeadingDimensionsNegativeAndZeroStrides) {
  const Extents shape = {37, 21};
  for (const Extents& strides :
       {Extents{24, 1}, Extents{1, 40}, Extents{-24, 1}, Extents{24, -1}, Extents{1, -40}, Extents{-1, -40},
        Extents{63, 3}, Extents{2, 74}, Extents{0, 1}, Extents{1, 0}})
    for (const std::int64_t axis : {0, 1})
      for (const std::int64_t misalignment : {0, 1, 6}) {
        check({shape, strides, misalignment}, axis);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Axes, EveryAxisOfMoreDimensions) {
  for (const Extents& shape : {Extents{50}, Extents{6, 9, 33}, Extents{3, 40, 2, 5}, Extents{4, 1, 34, 3}})
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis)
      for (int repeat = 0; repeat < 3; ++repeat) {
        check(axes_cases::random_placement(shape, false, random_), axis);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Axes, AnyNumberOfThreads) {
  for (const Extents& shape : {Extents{1000, 3}, Extents{70, 40}, Extents{3, 1000}})
    for (const int threads : {0, 2, 3, 5, 8})
      for (const std::int64_t axis : {0, 1}) {
        check(axes_cases::dense(shape), axis, threads);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Axes, TheBitsOfTheVectorOperation) {
  Memory array(axes_cases::dense({500, 40}), type());
  axes_cases::fill(array, 0, type(), random_);
  for (const Operation operation : oracle::one_vector_operations) {
    const ElementType result =
        operation == Operation::minimum || operation == Operation::maximum ? ElementType::float64 : type();
    Memory sums(axes_cases::dense({40}), result);
    foldline::reduce_axis(operation, array.view(), 0, sums.mutable_view(), {}, context());
    for (std::int64_t column = 0; column < 40; ++column) {
      const foldline::VectorView x(array.view().at(column), type(), 500, 40);
      ASSERT_EQ(sums.bits({column}), cases::call(operation, x, {}, result, 0, context()))
          << name_of(operation);
    }
  }
}

TEST_P(Axes, ManyRowsOfOneKind) {
  // Longer than a count takes without being emptied, in one block of columns.
  Memory array(axes_cases::dense({300'000, 2}), type());
  for (std::int64_t row = 0; row < 300'000; ++row) {
    array.set({row, 0}, 1.0 + static_cast<double>(row % 4) / 4);
    array.set({row, 1}, row % 3 == 0 ? -1.75 : 1.5);
  }
  for (const Operation operation : oracle::one_vector_operations)
    ASSERT_EQ(axes_cases::check(array, {operation, 0, type(), 0, context()}, axes_cases::dense({2})), "");
}

TEST_P(Axes, FewRowsThatCancelOrTie) {
  // What is added up side by side: the last bit of a row may decide a tie, and rows may leave only their
  // errors.
  Random random(31);
  const bool is_short = foldline::size_of(type()) == 2;
  const auto element = [&] {
    const int step = is_short ? 1 : 15, digits = random.coin() ? 2 : is_short ? 7 : 24;
    const double unit = std::ldexp(1.0, static_cast<int>(random.between(-4, 4)) * step);
    const double value = static_cast<double>(random.between(1, 1 << digits)) * unit;
    return random.coin() ? value : -value;
  };
  for (std::int64_t rows = 2; rows <= 9; ++rows)
    for (int repeat = 0; repeat < 4; ++repeat) {
      constexpr std::int64_t columns = 400;
      Memory array(axes_cases::dense({rows, columns}), type());
      for (std::int64_t column = 0; column < columns; ++column) {
        const bool cancels = random.coin();
        const double first = element();
        for (std::int64_t row = 0; row < rows; ++row)
          array.set({row, column}, row == 0 ? first : cancels && row == rows - 1 ? -first : element());
      }
      for (const Operation operation : {Operation::sum, Operation::abs_sum, Operation::mean})
        ASSERT_EQ(
            axes_cases::check(array, {operation, 0, type(), 0, context()}, axes_cases::dense({columns})), "");
    }
}

TEST_P(Axes, FewTermsAboutTheSmallestNormalNumber) {
  const int smallest = type() == ElementType::half       ? -24
                       : type() == ElementType::bfloat16 ? -133
                       : type() == ElementType::float32  ? -149
                                                         : -1074;
  Random random(32);
  constexpr std::int64_t others = 300;
  for (std::int64_t terms = 1; terms <= 17; ++terms)
    for (const std::int64_t axis : {0, 1}) {
      Memory array(axes_cases::dense(axis == 0 ? Extents{terms, others} : Extents{others, terms}), type());
      for (std::int64_t i = 0; i < others; ++i) {
        const auto most = std::int64_t{1} << random.between(0, 7);
        const int places = static_cast<int>(random.between(0, 7));
        for (std::int64_t k = 0; k < terms; ++k) {
          const double x = std::ldexp(static_cast<double>(random.between(-most, most)),
                                      smallest + static_cast<int>(random.between(0, places)));
          array.set(axis == 0 ? Extents{k, i} : Extents{i, k}, x);
        }
      }
      for (const Operation operation : oracle::one_vector_operations)
        for (const ElementType result : {type(), ElementType::half, ElementType::bfloat16}) {
          const Call call = {operation, axis, result, 0, context()};
          ASSERT_EQ(axes_cases::check(array, call, axes_cases::dense({others})), "");
        }
    }
}

/// Rows of integers with gaps between them, so that threads share them one by one.
class SharedRows : public testing::TestWithParam<int> {
 protected:
  __extension__ using Integer = __int128;
  static constexpr std::size_t columns = 33, pitch = 35;

  /// Compares the sums and means of columns, whose elements `value(row, column)` says, with those of
  /// integers.
  template <class Value>
  void check(std::int64_t rows, Value value) {
    std::vector<double> x(static_cast<std::size_t>(rows) * pitch, std::numeric_limits<double>::quiet_NaN());
    std::vector<Integer> sums(columns);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column) {
        const Integer element = value(row, static_cast<std::int64_t>(column));
        x[static_cast<std::size_t>(row) * pitch + column] = static_cast<double>(element);
        sums[column] += element;
      }
    const MatrixView matrix(x.data(), rows, columns, Layout::row_major, pitch);
    std::vector<double> actual(columns);
    for (const foldline::Target target : foldline::available_targets())
      for (int repeat = 0; repeat < 8; ++repeat) {  // which thread takes which rows is a matter of luck
        const Context context = {.execution = {.threads = GetParam(), .target = target}};
        foldline::reduce_columns(Operation::sum, matrix, actual, {}, context);
        for (std::size_t column = 0; column < columns; ++column)
          ASSERT_EQ(actual[column], static_cast<double>(sums[column])) << "sum of column " << column;
        foldline::reduce_columns(Operation::mean, matrix, actual, {}, context);
        for (std::size_t column = 0; column < columns; ++column)
          ASSERT_EQ(actual[column], quotient(sums[column], rows)) << "mean of column " << column;
      }
  }

  /// Rounded once: of many more bits than a double has, the last one tells whether anything is left.
  static double quotient(Integer sum, std::int64_t rows) {
    constexpr Integer enough = Integer{1} << 100;
    int shift = 0;
    for (; shift < 100 && -enough < sum && sum < enough; ++shift) sum *= 2;
    const Integer floor = sum / rows - (sum % rows < 0 ? 1 : 0);
    return std::ldexp(static_cast<double>(floor | (sum % rows != 0 ? 1 : 0)), -shift);
  }
};

INSTANTIATE_TEST_SUITE_P(Threads, SharedRows, testing::Values(1, 2, 3, 8));

TEST_P(SharedRows, WindowsThatSomeThreadsMove) {
  // Each column grows at another row, beyond the window that its first rows opened.
  check(40'000, [](std::int64_t row, std::int64_t column) {
    return row < 1200 * column ? row % 5 - 1 : (row % 7 - 2) * (std::int64_t{1} << column);
  });
}

TEST_P(SharedRows, CountsThatGetFull) {
  // One element in 32 fills a tile's count as far as the window lets it: after 2^11 tiles it is half full.
  check(70'000, [](std::int64_t row, std::int64_t column) {
    return row % 32 == 8 ? 1000 + column % 20 : row < 8 ? 1 : std::int64_t{0};
  });
}

TEST_P(SharedRows, SumsThatAreRounded) {
  // Both counts of a column have all of their digits, and their sum more than a double.
  constexpr Integer large = Integer{1} << 100;
  const auto small = [](std::int64_t row, std::int64_t column) {
    return Integer{row * (column + 1) | 1} << 13;
  };
  check(30'000, [=](std::int64_t row, std::int64_t column) {
    return row % 2 == 0 ? large - (Integer{row} << 60) : small(row, column);
  });
  check(30'000, [=](std::int64_t row, std::int64_t column) {
    return row % 3 == 0 ? large : row % 3 == 1 ? -large : small(row, column);
  });
  // Half a unit in the last place, and the least that there is beside it.
  constexpr std::int64_t rows = std::int64_t{1} << 15;
  check(rows + 2, [=](std::int64_t row, std::int64_t column) {
    if (row < rows) return large;
    return row == rows ? (Integer{1} << 88) + (Integer{1} << 62) : Integer{column % 2 * 2 - 1} * (1 << 13);
  });
}

TEST(RandomAxes, AgainstTheOracle) {
  const char* setting = std::getenv("FOLDLINE_TEST_CASES");
  const std::int64_t count = setting != nullptr ? std::atoll(setting) : 4000;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string failure;
    ASSERT_TRUE(axes_cases::check_random_axes_case(Random(static_cast<std::uint64_t>(i)).bits(), failure))
        << failure;
  }
}

}  // namespace
