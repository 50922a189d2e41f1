// Views of arrays: what they describe, and that what makes no sense is refused when it is made.
#include "foldline/array_view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <version>
#ifdef __cpp_lib_mdspan
#include <mdspan>
#endif

#include "foldline/error.hpp"

namespace {
std::int64_t allocations = 0;
}

// Not inline: a compiler that sees into one of them takes malloc and delete, or new and free, for a mistake.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

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

TEST(ArrayViews, AllocateNothingForUpToEightAxes) {
  const Sizes eight(8, 1), nine(9, 1);
  std::vector<double> out(1);
  const auto allocations_of = [](const auto& make) {
    const std::int64_t before = allocations;
    make();
    return allocations - before;
  };
  EXPECT_EQ(allocations_of([&] { (void)ArrayView(some, {2, 3, 4}).size(); }), 0);
  EXPECT_EQ(allocations_of([&] { (void)ArrayView(some, eight, eight).size(); }), 0);
  EXPECT_EQ(allocations_of([&] { (void)MutableArrayView(out).size(); }), 0);
  EXPECT_EQ(allocations_of([&] { (void)MatrixView(some, 4, 6).transposed().rows(); }), 0);
  EXPECT_GT(allocations_of([&] { (void)ArrayView(some, nine).size(); }), 0);  // the count works
}

TEST(ArrayViews, MayHaveManyAxes) {
  Sizes shape(11, 1);
  shape[3] = 2, shape[10] = 3;
  const ArrayView a(some, shape);
  EXPECT_EQ(a.axes(), 11);
  EXPECT_EQ(a.size(), 6);
  EXPECT_EQ(a.shape(), shape);
  EXPECT_EQ(a.strides()[3], 3);
  ArrayView b = a;
  b = ArrayView(some, {2});
  b = a;
  EXPECT_EQ(b.strides(), a.strides());
  EXPECT_EQ(b.shape().to_vector(), shape);
  EXPECT_FALSE(b.shape() == Sizes(11, 1));
  EXPECT_FALSE(b.shape() == Sizes(10, 1));
}

/// What a std::mdspan has, for compilers without one.
template <class T, std::size_t Rank, class Reference = T&>
struct Mdspan {
  using element_type = T;
  using reference = Reference;
  using data_handle_type = T*;
  static constexpr std::size_t rank() { return Rank; }
  static constexpr bool is_always_strided() { return true; }
  std::size_t extent(std::size_t axis) const { return extents[axis]; }
  std::size_t stride(std::size_t axis) const { return axis + 1; }
  T* data_handle() const { return data; }

  T* data;
  std::array<std::size_t, Rank> extents;
};

TEST(ArrayViews, AreMadeOfMdspans) {
  std::vector<float> numbers(30);
  const Mdspan<float, 2> span = {numbers.data(), {2, 5}};
  const auto check = [&](const ArrayView& view) {
    EXPECT_EQ(view.data(), numbers.data());
    EXPECT_EQ(view.type(), ElementType::float32);
    EXPECT_EQ(view.shape(), (Sizes{2, 5}));
    EXPECT_EQ(view.strides(), (Sizes{1, 2}));
  };
  check(span);
  check(MutableArrayView(span));
  check(Mdspan<const float, 2>{numbers.data(), {2, 5}});
  EXPECT_EQ(ArrayView(Mdspan<float, 0>{numbers.data(), {}}).size(), 1);
  // Elements that are not to be written, of another type, or made by an accessor (as those of a scaled
  // array).
  static_assert(!std::convertible_to<Mdspan<const float, 2>, MutableArrayView>);
  static_assert(!std::convertible_to<Mdspan<long double, 2>, ArrayView>);
  static_assert(!std::convertible_to<Mdspan<float, 2, float>, ArrayView>);
}

#ifdef __cpp_lib_mdspan
TEST(ArrayViews, AreMadeOfMdspansOfTheStandardLibrary) {
  const std::mdspan<const double, std::dextents<int, 3>> dense(some, 2, 3, 4);
  EXPECT_EQ(ArrayView(dense).shape(), (Sizes{2, 3, 4}));
  foldline::AxisValues strides = foldline::row_major_strides({2, 3});
  const std::span<const std::int64_t> numbers(strides);
  EXPECT_EQ(numbers[0], 3);
  EXPECT_EQ(ArrayView(dense).strides(), (Sizes{12, 4, 1}));
  const std::mdspan<const double, std::extents<int, 4, 6>, std::layout_left> columns(some);
  EXPECT_EQ(ArrayView(columns).strides(), (Sizes{1, 4}));
}
#endif

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
  expect_refused("2^63", [] { (void)foldline::row_major_strides({longest, longest}); });
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
