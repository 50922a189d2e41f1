// Reductions along an axis by what a caller sees: names of calls, zeros and NaN among extrema, sizes of zero,
// outputs between other data, and what is refused.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "axes_cases.hpp"
#include "foldline/axes.hpp"

namespace {

using foldline::ArrayView;
using foldline::Context;
using foldline::InvalidArgument;
using foldline::Layout;
using foldline::MatrixView;
using foldline::Operation;
using generators::Random;

/// Zeros of both signs, their neighbours and now and then a NaN, in rows and in columns.
template <class T>
void check_extrema_about_zero(Random& random) {
  constexpr T tiny = std::numeric_limits<T>::denorm_min(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::int64_t rows = random.between(1, 40), columns = random.between(1, 80),
                     sign = random.between(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(rows * columns));
  for (T& element : x) {
    element = random.one_in(3) ? -0.0F : 0.0F;
    if (random.one_in(4)) element = static_cast<T>(sign) * tiny;
    if (random.one_in(200)) element = nan;
  }
  for (const std::int64_t axis : {0, 1})
    for (const bool largest : {false, true})
      for (const foldline::Target target : foldline::available_targets()) {
        const std::int64_t results = axis == 0 ? columns : rows;
        std::vector<T> out(static_cast<std::size_t>(results), nan);
        foldline::reduce_axis(largest ? Operation::maximum : Operation::minimum,
                              ArrayView(x.data(), {rows, columns}), axis, out, {},
                              {.execution = {.threads = 1, .target = target}});
        for (std::int64_t i = 0; i < results; ++i) {
          const auto at = [&](std::int64_t k) {
            return x[static_cast<std::size_t>(axis == 0 ? k * columns + i : i * columns + k)];
          };
          T expected = at(0);
          for (std::int64_t k = 1; k < rows * columns / results; ++k) {
            const T other = at(k);
            const bool is_better =
                other == expected ? std::signbit(expected) == largest : (other > expected) == largest;
            if (std::isnan(other) || (!std::isnan(expected) && is_better)) expected = other;
          }
          ASSERT_EQ(std::isnan(out[static_cast<std::size_t>(i)]), std::isnan(expected)) << i;
          if (std::isnan(expected)) continue;
          ASSERT_EQ(out[static_cast<std::size_t>(i)], expected)
              << rows << " x " << columns << " along " << axis << ": " << i;
          ASSERT_EQ(std::signbit(out[static_cast<std::size_t>(i)]), std::signbit(expected))
              << rows << " x " << columns << ": " << i;
        }
      }
}

TEST(AxesExtrema, AboutZero) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    check_extrema_about_zero<float>(random);
    check_extrema_about_zero<double>(random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

const double numbers[] = {1, 2, 3, 4, 5, 6};

TEST(AxesApi, ColumnsAndRows) {
  const MatrixView matrix(numbers, 2, 3);
  EXPECT_EQ(foldline::column_sums(matrix), (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(foldline::row_sums<float>(matrix), (std::vector<float>{6, 15}));
  EXPECT_EQ(foldline::row_sums(MatrixView(numbers, 2, 3, Layout::column_major)),
            (std::vector<double>{9, 12}));
  std::vector<float> means(3);
  foldline::reduce_columns(Operation::mean, matrix, means);
  EXPECT_EQ(means, (std::vector<float>{2.5, 3.5, 4.5}));
  std::vector<double> variances(2);
  foldline::reduce_rows(Operation::variance, matrix, variances, {.ddof = 1});
  EXPECT_EQ(variances, (std::vector<double>{1, 1}));
}

TEST(AxesApi, ZeroSizes) {
  std::vector<double> out(2, -1), none;
  foldline::reduce_axis(Operation::sum, ArrayView(numbers, {0, 2}), 0, out);
  EXPECT_EQ(out, (std::vector<double>{0, 0}));
  EXPECT_FALSE(std::signbit(out[0]));
  foldline::reduce_axis(Operation::mean, ArrayView(numbers, {0, 2}), 0, out);
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
  foldline::reduce_axis(Operation::minimum, ArrayView(numbers, {0, 2}), 1, none);
  foldline::reduce_axis(Operation::sum, ArrayView(numbers, {3, 0}), 0, none);
  const std::vector<std::int64_t> huge = {INT64_MAX / 2, 0};
  foldline::reduce_axis(Operation::sum, ArrayView(static_cast<const double*>(nullptr), huge), 0, none);
}

TEST(AxesApi, ColumnsDoNotTouchTheirNeighbours) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  constexpr std::int64_t rows = 101;  // the last one is different
  constexpr std::int64_t columns = 40;
  struct Column {
    double even, odd, last, sum;
  };
  const std::vector<Column> kinds = {{1e308, -1e308, 1, 1},
                                     {1e308, 1e308, 0, infinity},
                                     {-0.0, -0.0, -0.0, -0.0},
                                     {-0.0, -0.0, 0.0, 0.0},
                                     {3, -3, 0, 0.0},
                                     {infinity, 1, 1, infinity},
                                     {1, 1, -infinity, -infinity},
                                     {0x1p1000, -0x1p1000, tiny, tiny},
                                     {tiny, tiny, -tiny, 99 * tiny},
                                     {0.5, 0.25, 0.25, 37.75}};
  const auto kind = [&](std::int64_t column) {
    return kinds[static_cast<std::size_t>(column) % kinds.size()];
  };
  std::vector<double> x;
  x.reserve(rows * columns);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) {
      const Column& values = kind(column);
      x.push_back(row == rows - 1 ? values.last : row % 2 == 0 ? values.even : values.odd);
    }
  for (const foldline::Target target : foldline::available_targets()) {
    const std::vector<double> sums = foldline::column_sums(MatrixView(x.data(), rows, columns),
                                                           {.execution = {.threads = 1, .target = target}});
    for (std::int64_t column = 0; column < columns; ++column)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(sums[static_cast<std::size_t>(column)]),
                std::bit_cast<std::uint64_t>(kind(column).sum))
          << "column " << column << " on " << name_of(target);
  }
}

TEST(AxesApi, WhatMakesNoSenseIsRefused) {
  const ArrayView a(numbers, {2, 3});
  std::vector<double> out(3, -1);
  const auto expect_refused = [&](const std::string& hint, auto... arguments) {
    try {
      foldline::reduce_axis(arguments...);
      ADD_FAILURE() << "accepted; " << hint;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(hint), std::string::npos) << error.what();
    }
  };
  const foldline::MutableArrayView three = out;
  expect_refused("axis 2", Operation::sum, a, 2, three);
  expect_refused("axis -3", Operation::sum, a, -3, three);
  expect_refused("shape", Operation::sum, a, 1, three);
  expect_refused("one vector", Operation::dot, a, 0, three);
  expect_refused("one vector", Operation::statistics, a, 0, three);
  expect_refused("ddof", Operation::variance, a, 0, three, foldline::ReduceOptions{.ddof = -1});
  expect_refused("threads", Operation::sum, a, 0, three, foldline::ReduceOptions{},
                 Context{.execution = {.threads = -1}});
  expect_refused("no elements", Operation::maximum, ArrayView(numbers, {0, 3}), 0, three);
  EXPECT_EQ(out, (std::vector<double>{-1, -1, -1}));
}

}  // namespace
