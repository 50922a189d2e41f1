// Views of arrays: what they describe, and that what makes no sense is refused when it is made.
#include "foldline/array_view.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "foldline/error.hpp"

namespace {

using foldline::ArrayView;
using foldline::ElementType;
using foldline::InvalidArgument;
using foldline::Layout;
using foldline::MatrixView;
using foldline::MutableArrayView;
using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
const double some[24] = {};

std::string refusal(const auto& make) {
  try {
    make();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}
void expect_refused(const std::string& hint, const auto& make) {
  const std::string message = refusal(make);
  EXPECT_NE(message.find(hint), std::string::npos) << message;
}

TEST(ArrayViews, DenseOnesAreRowMajor) {
  const ArrayView a(some, {2, 3, 4});
  EXPECT_EQ(a.shape(), (Sizes{2, 3, 4}));
  EXPECT_EQ(a.strides(), (Sizes{12, 4, 1}));
  EXPECT_EQ(a.axes(), 3);
  EXPECT_EQ(a.size(), 24);
  EXPECT_EQ(a.type(), ElementType::float64);
  EXPECT_EQ(a.at(5), reinterpret_cast<const std::byte*>(some + 5));
  EXPECT_EQ(foldline::row_major_strides({3, 0, 2}), (Sizes{2, 2, 1}));
}

TEST(ArrayViews, NoAxesIsOneElementAndDefaultIsNone) {
  EXPECT_EQ(ArrayView(some, {}).size(), 1);
  EXPECT_EQ(ArrayView().size(), 0);
  EXPECT_EQ(ArrayView().axes(), 1);
}

TEST(ArrayViews, VectorsAndRangesAreOneAxis) {
  std::vector<float> numbers(5);
  const ArrayView range = numbers;
  EXPECT_EQ(range.shape(), Sizes{5});
  EXPECT_EQ(range.type(), ElementType::float32);
  const ArrayView vector = foldline::VectorView(some, 3, -2);
  EXPECT_EQ(vector.strides(), Sizes{-2});
  const MutableArrayView out = numbers;
  EXPECT_EQ(out.data(), numbers.data());
  EXPECT_EQ(out.at(2), reinterpret_cast<std::byte*>(numbers.data() + 2));
}

TEST(ArrayViews, WhatMakesNoSenseIsRefused) {
  expect_refused("negative", [] { ArrayView(some, {2, -1}); });
  expect_refused("2^63", [] { ArrayView(some, {longest, 2}); });
  expect_refused("2^63", [] { ArrayView(some, {longest, 0, 2}); });
  expect_refused("2^63", [] { foldline::row_major_strides({longest, longest}); });
  expect_refused("same number", [] { ArrayView(some, {2, 2}, {1}); });
  expect_refused("null", [] { ArrayView(static_cast<const double*>(nullptr), {2}); });
  expect_refused("address", [] { ArrayView(some, {longest}); });
  expect_refused("address", [] { ArrayView(some, {2}, {longest}); });
  expect_refused("address", [] { ArrayView(some, {2}, {std::numeric_limits<std::int64_t>::min()}); });
  expect_refused("address", [] { ArrayView(some, {3, 3}, {longest / 32, longest / 32}); });
  expect_refused("address", [] { ArrayView(some, {2}, {-(std::int64_t{1} << 58)}); });
  EXPECT_EQ(ArrayView(static_cast<const double*>(nullptr), {2, 0}, {longest, longest}).size(), 0);
}

TEST(ArrayViews, WrittenElementsAreDistinct) {
  double out[4] = {};
  expect_refused("distinct", [&] { MutableArrayView(out, {2, 2}, {1, 0}); });
  EXPECT_EQ(MutableArrayView(out, {2, 1}, {1, 0}).size(), 2);
  EXPECT_EQ(MutableArrayView(out, {0, 2}, {1, 0}).size(), 0);
}

TEST(MatrixViews, LayoutsAndLeadingDimension) {
  const MatrixView rows(some, 3, 4);
  EXPECT_EQ(rows.array().strides(), (Sizes{4, 1}));
  const MatrixView columns(some, 3, 4, Layout::column_major);
  EXPECT_EQ(columns.array().strides(), (Sizes{1, 3}));
  const MatrixView wide(some, 3, 4, Layout::column_major, 6);
  EXPECT_EQ(wide.array().strides(), (Sizes{1, 6}));
  EXPECT_EQ(wide.rows(), 3);
  EXPECT_EQ(wide.columns(), 4);
  expect_refused("leading dimension", [] { MatrixView(some, 3, 4, Layout::row_major, 3); });
  expect_refused("leading dimension", [] { MatrixView(some, 3, 4, Layout::column_major, 2); });
  expect_refused("negative", [] { MatrixView(some, 3, -1); });
}

}  // namespace
