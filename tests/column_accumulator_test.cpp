// Columns whose rows come some at a time, against the oracle: whatever the blocks, however they are shared.
#include "foldline/column_accumulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "axes_cases.hpp"
#include "foldline/axes.hpp"

namespace {

using axes_cases::Memory;
using foldline::ColumnAccumulator;
using foldline::Context;
using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Layout;
using foldline::MatrixView;
using foldline::MutableArrayView;
using foldline::Operation;
using foldline::OverflowError;
using generators::Random;

/// A matrix that is cut into blocks of rows.
struct Matrix {
  const std::byte* data;
  ElementType type;
  std::int64_t rows, columns, pitch;
  Layout layout = Layout::row_major;

  MatrixView part(std::int64_t first, std::int64_t count) const {
    const std::int64_t step = layout == Layout::row_major ? pitch : 1;
    return {data + first * step * foldline::size_of(type), type, count, columns, layout, pitch};
  }
};

/// Adds the rows in blocks of random size to several accumulators, which it merges.
ColumnAccumulator accumulated(const Matrix& matrix, Operation operation, const Context& context,
                              Random& random) {
  std::vector<ColumnAccumulator> parts;
  for (std::int64_t i = random.between(1, 3); i > 0; --i)
    parts.emplace_back(operation, matrix.type, matrix.columns, context);
  const std::int64_t most = random.one_in(2) ? 3 : std::max<std::int64_t>(matrix.rows, 1);
  for (std::int64_t row = 0; row < matrix.rows;) {
    const std::int64_t count = std::min(random.between(0, most), matrix.rows - row);
    parts[static_cast<std::size_t>(random.between(0, std::ssize(parts) - 1))].add(matrix.part(row, count));
    row += count;
  }
  while (parts.size() > 1) {
    ColumnAccumulator last = std::move(parts.back());
    parts.pop_back();
    parts[0].merge(std::move(last));
  }
  return std::move(parts[0]);
}

class ColumnAccumulators : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {
 protected:
  ElementType type() const { return std::get<0>(GetParam()); }
  Context context() const { return {.execution = {.threads = 1, .target = std::get<1>(GetParam())}}; }

  void check(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t misalignment,
             Layout layout = Layout::row_major) {
    const bool by_rows = layout == Layout::row_major;
    const std::int64_t pitch = (by_rows ? columns : rows) + gap;
    Memory array({{rows, columns}, {by_rows ? pitch : 1, by_rows ? 1 : pitch}, misalignment}, type());
    axes_cases::fill(array, 0, type(), random_);
    const Matrix matrix = {array.view().at(0), type(), rows, columns, pitch, layout};
    std::vector<double> line(static_cast<std::size_t>(rows));
    std::vector<std::uint64_t> words(static_cast<std::size_t>(rows));
    oracle::BigIntegers big;
    for (const Operation operation : oracle::one_vector_operations) {
      const std::int64_t ddof = oracle::has_ddof(operation) ? random_.between(0, 2) : 0;
      const ColumnAccumulator sums = accumulated(matrix, operation, context(), random_);
      Memory out(axes_cases::dense({columns}), type());
      for (int repeat = 0; repeat < 2; ++repeat) sums.round(out.mutable_view(), ddof);  // not used up
      for (std::int64_t column = 0; column < columns; ++column) {
        array.get_line(0, {column}, words);
        std::ranges::transform(words, line.begin(),
                               [&](std::uint64_t w) { return oracle::decode(w, type()); });
        big.load(line);
        ASSERT_EQ(out.bits({column}), big.result(operation, type(), ddof))
            << name_of(operation) << " of column " << column << " of " << rows << " x " << columns;
      }
    }
  }

  Random random_{5};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, ColumnAccumulators,
                         testing::Combine(testing::ValuesIn(oracle::all_types),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

TEST_P(ColumnAccumulators, AnyBlocks) {
  for (const std::int64_t columns : {1, 2, 3, 4, 7, 31, 32, 33, 63, 64, 65, 150})
    for (const std::int64_t rows : {1, 2, 31, 33, 100}) {
      check(rows, columns, random_.one_in(3) ? random_.between(1, 3) : 0,
            random_.one_in(3) ? random_.between(1, 7) : 0,
            random_.one_in(5) ? Layout::column_major : Layout::row_major);
      if (HasFatalFailure()) return;
    }
}

TEST_P(ColumnAccumulators, MoreColumnsThanABlockHas) { check(5, 4100, 0, 0); }

TEST_P(ColumnAccumulators, ManyRows) { check(3000, 5, 0, 0); }

const double infinity = std::numeric_limits<double>::infinity();

/// The sums of columns, row by row.
std::vector<double> sums_by_rows(const std::vector<std::vector<double>>& rows) {
  ColumnAccumulator sums(Operation::sum, ElementType::float64, std::ssize(rows[0]));
  for (const std::vector<double>& row : rows) sums.add(MatrixView(row.data(), 1, std::ssize(row)));
  std::vector<double> results(rows[0].size());
  sums.round(results);
  return results;
}

TEST(ColumnAccumulator, NegativeZerosStayOnlyIfAllAre) {
  const auto sums =
      sums_by_rows({{-0.0, -0.0, -0.0, 1, -0.0}, {-0.0, -0.0, 0.0, -1, -0.0}, {-0.0, 0.0, -0.0, -0.0, 2}});
  const std::vector<bool> negative = {true, false, false, false, false};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(sums[i], 0) << i;
    EXPECT_EQ(std::signbit(sums[i]), negative[i]) << i;
  }
  EXPECT_EQ(sums[4], 2);
}

TEST(ColumnAccumulator, NegativeZerosOfOthersCount) {
  const std::vector<double> negative(40, -0.0), positive(40, 0.0);
  for (const std::vector<double>& second : {negative, positive}) {
    ColumnAccumulator first(Operation::sum, ElementType::float64, 40);
    ColumnAccumulator other(Operation::sum, ElementType::float64, 40);
    first.add(MatrixView(negative.data(), 1, 40));
    other.add(MatrixView(second.data(), 1, 40));
    first.merge(std::move(other));
    std::vector<double> sums(40);
    first.round(sums);
    EXPECT_EQ(std::signbit(sums[7]), std::signbit(second[0]));
  }
}

TEST(ColumnAccumulator, ColumnsDoNotTouchTheirNeighbours) {
  const auto sums = sums_by_rows(
      {{1e308, infinity, 1, 1e-308, 1}, {1e308, 1, infinity, 1e308, 2}, {-1e308, 2, -infinity, -1e308, 3}});
  EXPECT_EQ(sums[0], 1e308);
  EXPECT_EQ(sums[1], infinity);
  EXPECT_TRUE(std::isnan(sums[2]));
  EXPECT_EQ(sums[3], 1e-308);
  EXPECT_EQ(sums[4], 6);
}

TEST(ColumnAccumulator, MoreRowsAfterAResult) {
  ColumnAccumulator means(Operation::mean, ElementType::float64, 2);
  std::vector<double> results(2);
  const std::vector<double> rows = {1, 2, 3, 6};
  means.add(MatrixView(rows.data(), 1, 2));
  means.round(results);
  EXPECT_EQ(results, (std::vector<double>{1, 2}));
  means.add(MatrixView(rows.data() + 2, 1, 2));
  means.round(results);
  EXPECT_EQ(results, (std::vector<double>{2, 4}));
  EXPECT_EQ(means.rows(), 2);
  EXPECT_EQ(means.columns(), 2);
}

template <class T>
void check_integers(Random& random) {
  constexpr ElementType type = foldline::element_type_of<T>;
  for (const std::int64_t columns : {1, 5, 70}) {
    const std::int64_t rows = 90;
    std::vector<T> x(static_cast<std::size_t>(rows * columns));
    for (T& element : x)
      element = static_cast<T>(random.one_in(9) ? -1 : static_cast<std::int64_t>(random.bits()));
    const Matrix matrix = {reinterpret_cast<const std::byte*>(x.data()), type, rows, columns, columns};
    for (const Operation operation : oracle::one_vector_operations) {
      const ElementType result = foldline::default_result_type(operation, type);
      std::vector<std::uint64_t> expected(static_cast<std::size_t>(columns)), actual = expected;
      const auto view = [&](std::vector<std::uint64_t>& out) {
        return MutableArrayView(out.data(), result, {columns}, {1});
      };
      foldline::reduce_columns(operation, matrix.part(0, rows), view(expected), {},
                               {.overflow = foldline::Overflow::wrap});
      accumulated(matrix, operation, {}, random).round(view(actual), {}, foldline::Overflow::wrap);
      ASSERT_EQ(actual, expected) << name_of(operation) << " of " << columns << " columns of "
                                  << name_of(type);
    }
  }
}

TEST(ColumnAccumulator, Integers) {
  Random random(9);
  check_integers<std::int8_t>(random);
  check_integers<std::uint16_t>(random);
  check_integers<std::int32_t>(random);
  check_integers<std::int64_t>(random);
  check_integers<std::uint64_t>(random);
}

TEST(ColumnAccumulator, IntegersThatDoNotFit) {
  const std::vector<std::int64_t> row = {INT64_MAX, 1};
  ColumnAccumulator sums(Operation::sum, ElementType::int64, 2);
  sums.add(MatrixView(row.data(), 1, 2));
  std::vector<std::int64_t> results(2);
  sums.round(results);
  EXPECT_EQ(results, row);
  sums.add(MatrixView(row.data(), 1, 2));
  EXPECT_THROW(sums.round(results), OverflowError);
  sums.round(results, 0, foldline::Overflow::wrap);
  EXPECT_EQ(results, (std::vector<std::int64_t>{-2, 2}));
}

TEST(ColumnAccumulator, NoRowsAndNoColumns) {
  std::vector<double> results(3, 7);
  ColumnAccumulator sums(Operation::sum, ElementType::float64, 3);
  sums.add(MatrixView(results.data(), 0, 3));
  sums.round(results);
  EXPECT_EQ(results, (std::vector<double>{0, 0, 0}));
  EXPECT_FALSE(std::signbit(results[0]));
  ColumnAccumulator(Operation::mean, ElementType::float64, 3).round(results);
  EXPECT_TRUE(std::isnan(results[0]) && std::isnan(results[2]));
  ColumnAccumulator none(Operation::maximum, ElementType::float64, 0);
  none.add(MatrixView(results.data(), 3, 0));
  std::vector<double> nothing;
  none.round(nothing);
  EXPECT_EQ(none.rows(), 3);
}

TEST(ColumnAccumulator, WhatMakesNoSenseIsRefused) {
  const double x[] = {1, 2, 3, 4, 5, 6};
  const float y[] = {1, 2, 3};
  std::vector<double> three(3), two(2);
  std::vector<std::int8_t> bytes(3);
  EXPECT_THROW(ColumnAccumulator(Operation::dot, ElementType::float64, 3), InvalidArgument);
  EXPECT_THROW(ColumnAccumulator(Operation::statistics, ElementType::float64, 3), InvalidArgument);
  EXPECT_THROW(ColumnAccumulator(Operation::sum, ElementType::float64, -1), InvalidArgument);
  EXPECT_THROW(ColumnAccumulator(Operation::sum, ElementType::float64, 3,
                                 {.execution = {.device = foldline::Device::cuda()}}),
               InvalidArgument);
  ColumnAccumulator means(Operation::mean, ElementType::float64, 3);
  EXPECT_THROW(means.add(MatrixView(x, 3, 2)), InvalidArgument);
  EXPECT_THROW(means.add(MatrixView(y, 1, 3)), InvalidArgument);
  means.add(MatrixView(x, 2, 3));
  EXPECT_THROW(means.round(two), InvalidArgument);
  EXPECT_THROW(means.round(bytes), InvalidArgument);
  EXPECT_THROW(means.round(three, -1), InvalidArgument);
  EXPECT_THROW(means.merge(ColumnAccumulator(Operation::sum, ElementType::float64, 3)), InvalidArgument);
  EXPECT_THROW(means.merge(ColumnAccumulator(Operation::mean, ElementType::float64, 2)), InvalidArgument);
  ColumnAccumulator& same = means;
  EXPECT_THROW(means.merge(std::move(same)), InvalidArgument);
  EXPECT_THROW(ColumnAccumulator(Operation::minimum, ElementType::float64, 3).round(three), InvalidArgument);
  means.round(three);
  EXPECT_EQ(three, (std::vector<double>{2.5, 3.5, 4.5}));
}

}  // namespace
