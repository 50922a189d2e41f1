// Scans along an axis against scans of each vector, which scan_test.cpp compares with the oracle.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "axes_cases.hpp"
#include "foldline/scan.hpp"
#include "integer_cases.hpp"

namespace {

using axes_cases::Extents;
using axes_cases::Memory;
using axes_cases::Placement;
using foldline::ArrayView;
using foldline::Context;
using foldline::ElementType;
using foldline::exclusive_scan_axis;
using foldline::inclusive_scan_axis;
using foldline::InvalidArgument;
using foldline::MutableArrayView;
using foldline::MutableVectorView;
using foldline::Overflow;
using foldline::OverflowError;
using foldline::Scalar;
using foldline::VectorView;
using generators::Random;

/// One random scan along an axis.
struct Case {
  ElementType type, result;
  Extents shape;
  std::size_t axis;
  bool exclusive;
  Scalar init;
  bool in_place;
  Context context;
};

/// Few or many vectors, now and then longer than a tile.
Extents random_shape(Random& random) {
  Extents shape(static_cast<std::size_t>(random.one_in(3) ? random.between(1, 4) : 2));
  std::int64_t room = random.one_in(4) ? 30'000 : 2000;
  for (std::int64_t& extent : shape) {
    extent = random.one_in(60) ? 0 : random.log_uniform(room);
    room = std::max<std::int64_t>(1, room / std::max<std::int64_t>(extent, 1));
  }
  random.shuffle(shape);
  return shape;
}

Case random_case(Random& random) {
  Case scan = {};
  const auto any_integer = [&] { return integer_cases::pick(integer_cases::all_types, random); };
  const auto any_float = [&] { return integer_cases::pick(oracle::all_types, random); };
  const bool floating = random.coin();
  scan.type = floating ? any_float() : any_integer();
  scan.result = random.coin() ? scan.type : floating || random.one_in(4) ? any_float() : any_integer();
  scan.shape = random_shape(random);
  scan.axis = static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(scan.shape.size()) - 1));
  scan.exclusive = random.coin();
  if (scan.exclusive && random.coin()) scan.init = Scalar(random.between(-50, 50));
  scan.in_place = scan.type == scan.result && random.coin();
  scan.context.execution.threads = random.one_in(3) ? static_cast<int>(random.between(2, 8)) : 1;
  scan.context.execution.target = random.pick(foldline::available_targets());
  scan.context.overflow = random.one_in(4) ? Overflow::error : Overflow::wrap;
  if (random.one_in(8)) scan.context.accuracy = foldline::Accuracy::fast;
  return scan;
}

/// Calls f with the index of the first element of every vector.
template <class F>
void for_each_vector(const Case& scan, F f) {
  Extents others = scan.shape;
  others[scan.axis] = 1;
  for (const std::int64_t extent : scan.shape)
    if (extent == 0) return;
  Extents index(others.size(), 0);
  do f(index);
  while (axes_cases::advance(index, others));
}

void fill(const Case& scan, Memory& array, Random& random) {
  if (is_floating(scan.type))
    return axes_cases::fill(array, static_cast<std::int64_t>(scan.axis), scan.type, random);
  for_each_vector(scan, [&](Extents index) {
    const auto generator = integer_cases::pick(integer_cases::all_generators, random);
    auto words = integer_cases::generate(generator, scan.type, scan.shape[scan.axis], random);
    words.resize(static_cast<std::size_t>(scan.shape[scan.axis]));
    for (; index[scan.axis] < scan.shape[scan.axis]; ++index[scan.axis])
      array.set_bits(index, words[static_cast<std::size_t>(index[scan.axis])]);
  });
}

/// The vector that begins at an index.
template <class Vector, class Array>
Vector vector_at(const Case& scan, const Array& array, const Extents& index) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < index.size(); ++i) offset += index[i] * array.strides()[i];
  return Vector(array.at(offset), array.type(), scan.shape[scan.axis], array.strides()[scan.axis]);
}

/// Scans vector by vector; whether all results fit.
bool scan_each(const Case& scan, const ArrayView& a, const MutableArrayView& out) {
  bool fits = true;
  for_each_vector(scan, [&](const Extents& index) {
    const auto x = vector_at<VectorView>(scan, a, index);
    const auto results = vector_at<MutableVectorView>(scan, out, index);
    try {
      if (scan.exclusive)
        foldline::exclusive_scan(x, results, scan.init, scan.context);
      else
        foldline::inclusive_scan(x, results, scan.context);
    } catch (const OverflowError&) {
      fits = false;
    }
  });
  return fits;
}

bool scan_axis(const Case& scan, const ArrayView& a, const MutableArrayView& out, std::int64_t axis) {
  try {
    if (scan.exclusive)
      exclusive_scan_axis(a, axis, out, scan.init, scan.context);
    else
      inclusive_scan_axis(a, axis, out, scan.context);
  } catch (const OverflowError&) {
    return false;
  }
  return true;
}

std::string compare(const Case& scan, const Memory& actual, Memory& expected, Memory& out) {
  Extents index(scan.shape.size(), 0);
  if (expected.view().size() > 0) do {
      if (actual.bits(index) != expected.bits(index))
        return "is " + cases::hex(actual.bits(index)) + ", must be " + cases::hex(expected.bits(index));
      out.set_bits(index, UINT64_MAX);
    } while (axes_cases::advance(index, scan.shape));
  return out.is_blank() ? "" : "something was written around the results";
}

/// What is wrong with one random scan; empty if nothing.
std::string check(std::uint64_t seed) {
  Random random(seed);
  const Case scan = random_case(random);
  const Placement placement = axes_cases::random_placement(scan.shape, scan.in_place, random);
  const Placement out_placement = axes_cases::random_placement(scan.shape, true, random);
  Memory a(placement, scan.type);
  fill(scan, a, random);
  // Vectors of the same strides as in the call: a fast scan's bits depend on them.
  Memory expected(scan.in_place ? placement : out_placement, scan.result);
  const bool fits = scan_each(scan, a.view(), expected.mutable_view());
  Memory out(out_placement, scan.result);
  Memory& results = scan.in_place ? a : out;
  const auto axes = static_cast<std::int64_t>(scan.shape.size());
  const std::int64_t axis = static_cast<std::int64_t>(scan.axis) - (random.coin() ? axes : 0);
  std::string wrong;
  if (scan_axis(scan, a.view(), results.mutable_view(), axis) != fits)
    wrong = fits ? "threw an OverflowError" : "threw no OverflowError";
  else if (fits)
    wrong = compare(scan, results, expected, results);
  if (wrong.empty()) return {};
  std::ostringstream text;
  text << "seed " << seed << ": " << name_of(scan.type) << " to " << name_of(scan.result) << ", shape";
  for (const std::int64_t extent : scan.shape) text << ' ' << extent;
  text << ", axis " << scan.axis << ", " << scan.context.execution.threads << " threads: " << wrong;
  return text.str();
}

TEST(ScanAxis, IsTheScanOfEveryVector) {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  const std::uint64_t seeds = count != nullptr ? std::strtoull(count, nullptr, 10) / 4 : 2000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) ASSERT_EQ(check(seed), "");
}

TEST(ScanAxis, RowsAndColumns) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6};
  std::vector<double> out(6, NAN);
  inclusive_scan_axis(ArrayView(x.data(), {2, 3}), 0, MutableArrayView(out.data(), {2, 3}));
  EXPECT_EQ(out, (std::vector<double>{1, 2, 3, 5, 7, 9}));
  exclusive_scan_axis(ArrayView(x.data(), {2, 3}), -1, MutableArrayView(out.data(), {2, 3}), 10);
  EXPECT_EQ(out, (std::vector<double>{10, 11, 13, 10, 14, 19}));
  exclusive_scan_axis(ArrayView(x.data(), {2, 3}), 1, MutableArrayView(out.data(), {2, 3}));
  EXPECT_EQ(out, (std::vector<double>{0, 1, 3, 0, 4, 9}));
}

// One row and some columns more than whole tiles; every thread count shares the columns in another way.
TEST(ScanAxis, TilesDoNotShow) {
  std::vector<double> x(std::size_t{2049} * 40);
  Random random(7);
  for (double& element : x)
    element = std::ldexp(random.real() - 0.5, static_cast<int>(random.between(0, 80)));
  std::vector<double> expected(x.size(), NAN);
  for (std::size_t column = 0; column < 40; ++column)
    foldline::inclusive_scan(VectorView(&x[column], 2049, 40),
                             MutableVectorView(&expected[column], 2049, 40));
  for (const int threads : {1, 2, 5, 40, 64}) {
    std::vector<double> out = x;
    const MutableArrayView view(out.data(), {2049, 40});
    inclusive_scan_axis(view, 0, view, {.execution = {.threads = threads}});
    ASSERT_EQ(out, expected) << threads << " threads";
  }
  // From and to transposed matrices.
  std::vector<double> turned(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) turned[i % 40 * 2049 + i / 40] = x[i];
  const ArrayView columns(turned.data(), {2049, 40}, {1, 2049});
  std::vector<double> out(x.size(), NAN);
  inclusive_scan_axis(columns, 0, MutableArrayView(out.data(), {2049, 40}));
  EXPECT_EQ(out, expected);
  inclusive_scan_axis(ArrayView(x.data(), {2049, 40}), 0,
                      MutableArrayView(out.data(), {2049, 40}, {1, 2049}));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i % 40 * 2049 + i / 40], expected[i]) << i;
}

// Highway's portable conversion to floats takes infinities for the largest float.
TEST(ScanAxis, SumsBeyondFloatsAreInfinite) {
  std::vector<float> x(std::size_t{2} * 40, 3e38F);
  x[0] = -3e38F;
  for (const foldline::Target target : foldline::available_targets()) {
    std::vector<float> out(x.size(), NAN);
    inclusive_scan_axis(ArrayView(x.data(), {2, 40}), 0, MutableArrayView(out.data(), {2, 40}),
                        {.execution = {.target = target}});
    EXPECT_EQ(out[0], -3e38F);
    EXPECT_EQ(out[40], 0);
    for (std::size_t i = 41; i < 80; ++i) ASSERT_EQ(out[i], INFINITY) << name_of(target) << ", result " << i;
  }
}

TEST(ScanAxis, AResultThatDoesNotFitIsNamed) {
  std::vector<std::int8_t> x(3000, 0);
  x[2 * 1400 + 1] = 100;
  x[2 * 1410 + 1] = 100;
  std::vector<std::int8_t> out(3000);
  try {
    inclusive_scan_axis(ArrayView(x.data(), {1500, 2}), 0, MutableArrayView(out.data(), {1500, 2}));
    FAIL() << "200 was taken for an int8";
  } catch (const OverflowError& error) {
    EXPECT_NE(std::string(error.what()).find("inclusive_scan_axis: result 1410 does not fit int8"),
              std::string::npos)
        << error.what();
  }
}

TEST(ScanAxis, WhatMakesNoSenseIsRefused) {
  std::vector<double> memory(12, 1.0);
  std::vector<double> out(6, -1);
  std::vector<std::int64_t> integers(6, -1);
  const ArrayView a(memory.data(), {2, 3});
  const MutableArrayView good(out.data(), {2, 3});
  const auto expect_refused = [&](const std::string& hint, const ArrayView& x, std::int64_t axis,
                                  const MutableArrayView& results, const Context& context = {}) {
    try {
      inclusive_scan_axis(x, axis, results, context);
      ADD_FAILURE() << "accepted; " << hint;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(hint), std::string::npos) << error.what();
    }
  };
  expect_refused("no axis 2", a, 2, good);
  expect_refused("no axis -3", a, -3, good);
  expect_refused("no axis 0", ArrayView(memory.data(), {}), 0, MutableArrayView(out.data(), {}));
  expect_refused("shape, but a has 2 x 3 and out 3 x 2", a, 0, MutableArrayView(out.data(), {3, 2}));
  expect_refused("overlap", a, 0, MutableArrayView(memory.data() + 1, {2, 3}));
  expect_refused("overlap", a, 0, MutableArrayView(memory.data(), {2, 3}, {1, 2}));
  expect_refused("overlap", a, 0, MutableArrayView(memory.data() + 5, {2, 3}, {-3, -1}));
  expect_refused("whole numbers", a, 0, MutableArrayView(integers.data(), {2, 3}));
  expect_refused("threads", a, 0, good, {.execution = {.threads = -1}});
  EXPECT_THROW(exclusive_scan_axis(ArrayView(integers.data(), {6}), 0, integers, 0.5), InvalidArgument);
  EXPECT_EQ(out, std::vector<double>(6, -1));
  EXPECT_EQ(memory, std::vector<double>(12, 1.0));
  EXPECT_EQ(integers, std::vector<std::int64_t>(6, -1));
  EXPECT_NO_THROW(inclusive_scan_axis(a, 0, MutableArrayView(memory.data() + 6, {2, 3})));
  EXPECT_NO_THROW(
      inclusive_scan_axis(ArrayView(memory.data(), {0, 3}), 0, MutableArrayView(out.data(), {0, 3})));
}

}  // namespace
