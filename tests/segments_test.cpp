// Segments and groups, against the oracle; and what is refused.
#include "foldline/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "foldline/axes.hpp"
#include "foldline/where.hpp"
#include "segment_cases.hpp"

namespace {

using foldline::InvalidArgument;
using foldline::Operation;
using generators::Random;

std::int64_t case_count(std::int64_t usual) {
  const char* const asked = std::getenv("FOLDLINE_TEST_CASES");
  return asked == nullptr ? usual : std::atoll(asked);
}

TEST(Segments, RandomCases) {
  for (std::int64_t seed = 0; seed < case_count(2500); ++seed)
    ASSERT_EQ(segment_cases::check_random_segments(static_cast<std::uint64_t>(seed)), "");
}

TEST(Groups, RandomCases) {
  for (std::int64_t seed = 0; seed < case_count(1500); ++seed)
    ASSERT_EQ(segment_cases::check_random_groups(static_cast<std::uint64_t>(seed)), "");
}

TEST(Where, RandomCases) {
  for (std::int64_t seed = 0; seed < case_count(2000); ++seed)
    ASSERT_EQ(segment_cases::check_random_mask(static_cast<std::uint64_t>(seed)), "");
}

TEST(Where, RandomCasesAlongAxes) {
  for (std::int64_t seed = 0; seed < case_count(2500); ++seed)
    ASSERT_EQ(segment_cases::check_random_masked_axes(static_cast<std::uint64_t>(seed)), "");
}

TEST(Where, TakesWhatTheMaskSays) {
  const std::vector<double> x = {1e16, 1, std::nan(""), -1e16};
  const std::vector<std::uint8_t> valid = {1, 7, 0, 1}, none(4);
  double sum = 0;
  EXPECT_EQ(foldline::reduce_where(Operation::sum, x, valid, &sum), 3);
  EXPECT_EQ(sum, 1);
  EXPECT_EQ(foldline::reduce_where(Operation::mean, x, none, &sum), 0);
  EXPECT_TRUE(std::isnan(sum));
  sum = 5;
  EXPECT_EQ(foldline::reduce_where(Operation::minimum, x, none, &sum), 0);
  EXPECT_EQ(sum, 5) << "there is no minimum";
  EXPECT_THROW(foldline::reduce_where(Operation::sum, x, std::vector<std::uint8_t>(3), &sum),
               InvalidArgument);
  EXPECT_THROW(foldline::reduce_where(Operation::sum, x, std::vector<int>(4), &sum), InvalidArgument);
  EXPECT_THROW(foldline::reduce_where(Operation::dot, x, valid, &sum), InvalidArgument);
}

TEST(Where, ByAnyNumberOfThreads) {
  Random random(6);
  std::vector<float> x(1'000'003), taken;
  std::vector<std::uint8_t> mask(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(random.real() - 0.5);
    if ((mask[i] = random.coin() ? 1 : 0) != 0) taken.push_back(x[i]);
  }
  const float expected = foldline::variance<float>(taken);
  for (const int threads : {0, 1, 3}) {
    float variance = 0;
    EXPECT_EQ(foldline::reduce_where(Operation::variance, x, mask, &variance, {},
                                     {.execution = {.threads = threads}}),
              std::ssize(taken));
    EXPECT_EQ(variance, expected);
  }
}

// Large enough that threads share the rows of some and the results of others; some columns are -0 only.
TEST(Where, AlongAxesByAnyNumberOfThreads) {
  Random random(7);
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{100'003, 4},
                                      {40'001, 12},
                                      {3, 300'000},
                                      {4001, 1030},
                                      {700, 90}}) {
    const auto size = static_cast<std::size_t>(rows * columns);
    std::vector<double> x(size);
    std::vector<std::uint8_t> mask(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = i % static_cast<std::size_t>(columns) == 1 ? -0.0 : random.real() - 0.5;
      mask[i] = random.one_in(3) ? 1 : 0;
    }
    for (const bool along_rows : {false, true}) {
      const std::int64_t results = along_rows ? rows : columns, terms = along_rows ? columns : rows;
      std::vector<double> expected(static_cast<std::size_t>(results)), sums(expected.size());
      std::vector<std::int64_t> taken(expected.size()), counts(expected.size());
      std::vector<double> some;
      for (std::int64_t i = 0; i < results; ++i) {
        some.clear();
        for (std::int64_t k = 0; k < terms; ++k) {
          const auto at = static_cast<std::size_t>(along_rows ? i * columns + k : k * columns + i);
          if (mask[at] != 0) some.push_back(x[at]);
        }
        expected[static_cast<std::size_t>(i)] = foldline::sum(some);
        taken[static_cast<std::size_t>(i)] = std::ssize(some);
      }
      for (const int threads : {1, 3}) {
        foldline::reduce_axes_where(Operation::sum, {x.data(), {rows, columns}},
                                    {mask.data(), {rows, columns}}, {along_rows ? 1 : 0}, sums, counts, {},
                                    {.execution = {.threads = threads}});
        ASSERT_EQ(sums, expected);
        ASSERT_EQ(std::signbit(sums[1]), std::signbit(expected[1]));
        ASSERT_EQ(counts, taken);
      }
    }
  }
}

TEST(Where, AlongAxesMasksAreBroadcast) {
  const std::vector<double> x = {1, 2, 3, 1e16, 4, -1e16};  // 2 x 3
  const foldline::ArrayView matrix(x.data(), {2, 3});
  const std::vector<std::uint8_t> columns = {1, 0, 1}, rows = {0, 1};
  std::vector<double> out(2), one(1);
  std::vector<std::int64_t> counts(2);
  foldline::reduce_axes_where(Operation::sum, matrix, columns, {1}, out, counts);
  EXPECT_EQ(out, (std::vector<double>{4, 0}));
  EXPECT_EQ(counts, (std::vector<std::int64_t>{2, 2}));
  foldline::reduce_axes_where(Operation::maximum, matrix, foldline::ArrayView(rows.data(), {2, 1}), {-1}, out,
                              counts);
  EXPECT_EQ(out, (std::vector<double>{4, 1e16})) << "there is no maximum of nothing";
  EXPECT_EQ(counts, (std::vector<std::int64_t>{0, 3}));
  foldline::reduce_axes_where(Operation::sum, matrix, columns, {1, -2}, {one.data(), {}, {}});
  EXPECT_EQ(one[0], 4);
}

TEST(Segments, RowsOfASparseMatrix) {
  const std::vector<double> values = {1e308, 1e308, -1e308, 0.1, -0.0, 3};
  const std::vector<int> offsets = {0, 4, 4, 5, 6};
  std::vector<double> sums(4);
  foldline::reduce_segments(Operation::sum, values, offsets, sums);
  EXPECT_EQ(sums, (std::vector<double>{1e308, 0, 0, 3}));
  EXPECT_FALSE(std::signbit(sums[1])) << "an empty sum is +0";
  EXPECT_TRUE(std::signbit(sums[2])) << "a sum of -0 alone is -0";
  std::vector<float> means(4);
  foldline::reduce_segments(Operation::mean, values, offsets, means);
  EXPECT_EQ(means[0], std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(means[1]));
}

TEST(Groups, DoNotDependOnTheOrder) {
  const std::vector<unsigned> keys = {2, 0, 2, 2, 0};
  const std::vector<double> values = {1e16, 1, 1, -1e16, 2};
  std::vector<double> sums(4, -1);
  foldline::reduce_by_key(Operation::sum, keys, values, sums);
  EXPECT_EQ(sums, (std::vector<double>{3, 0, 1, 0}));
  const std::vector<std::uint8_t> taken = {0, 1, 1, 1, 0};
  std::vector<double> smallest(2);
  foldline::reduce_by_key(Operation::minimum,
                          foldline::VectorView(taken.data(), foldline::ElementType::boolean, 5), values,
                          smallest);
  EXPECT_EQ(smallest, (std::vector<double>{2, -1e16}));
}

// As along an axis, with every number of threads: segments of one length, and one that is much longer.
TEST(Segments, OfAnyLengthByAnyNumberOfThreads) {
  Random random(3);
  for (const std::int64_t longest : {1000, 700'001}) {
    std::vector<std::int64_t> offsets = {0};
    for (std::int64_t i = 0; i < 3000; ++i) offsets.push_back(offsets.back() + random.log_uniform(300));
    offsets.insert(offsets.begin() + 1000, offsets[1000]);
    for (std::size_t i = 1000; i < offsets.size(); ++i) offsets[i] += longest;
    offsets[1000] -= longest;
    std::vector<float> values(static_cast<std::size_t>(offsets.back()));
    for (float& value : values) value = static_cast<float>(random.real() - 0.5);
    const auto count = offsets.size() - 1;
    std::vector<float> expected(count);
    for (std::size_t i = 0; i < count; ++i)
      expected[i] =
          foldline::sum<float>(foldline::VectorView(values.data() + offsets[i], offsets[i + 1] - offsets[i]));
    for (const int threads : {0, 1, 2, 5}) {
      std::vector<float> sums(count, -1);
      foldline::reduce_segments(Operation::sum, values, offsets, sums, {},
                                {.execution = {.threads = threads}});
      ASSERT_EQ(sums, expected) << threads;
    }
  }
}

TEST(Groups, OfManyKeysByAnyNumberOfThreads) {
  Random random(4);
  constexpr std::size_t size = 300'000;
  for (const std::int64_t count : {3, 1000, 1025, 100'000, 3'000'000}) {
    std::vector<std::int32_t> keys(size);
    std::vector<std::int16_t> values(size);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < size; ++i) {
      keys[i] = static_cast<std::int32_t>(random.between(0, count - 1));
      values[i] = static_cast<std::int16_t>(random.between(-32768, 32767));
      expected[static_cast<std::size_t>(keys[i])] += values[i];
    }
    for (const int threads : {0, 1, 3}) {
      std::vector<std::int64_t> sums(static_cast<std::size_t>(count), -1);
      foldline::reduce_by_key(Operation::sum, keys, values, sums, {}, {.execution = {.threads = threads}});
      ASSERT_EQ(sums, expected) << count << ' ' << threads;
    }
  }
}

std::string refusal(auto call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Segments, WrongOffsetsAreNamed) {
  const std::vector<double> values(10);
  std::vector<double> out(3, 7);
  const auto refused = [&](const std::vector<int>& offsets) {
    return refusal([&] { foldline::reduce_segments(Operation::sum, values, offsets, out); });
  };
  EXPECT_EQ(refused({0, 5, 4, 3}), "reduce_segments: sum: offsets[2] is 4, less than offsets[1], 5");
  EXPECT_EQ(refused({0, 5, 6, 11}), "reduce_segments: sum: offsets[3] is 11; there are 10 values");
  EXPECT_EQ(refused({-1, 5, 6, 10}), "reduce_segments: sum: offsets[0] is -1; there are 10 values");
  EXPECT_EQ(refused({0, 5, 10}), "reduce_segments: sum: 3 results take one offset more, but there are 3");
  EXPECT_EQ(out, (std::vector<double>{7, 7, 7}));
  const std::vector<std::uint64_t> beyond = {0, 1, 2, std::uint64_t{1} << 63};
  EXPECT_EQ(refusal([&] { foldline::reduce_segments(Operation::sum, values, beyond, out); }),
            "reduce_segments: sum: offsets[3] is 9223372036854775808; there are 10 values");
  std::vector<std::int64_t> many(5000, 3);
  many[4321] = 2;
  std::vector<double> results(4999);
  EXPECT_EQ(refusal([&] { foldline::reduce_segments(Operation::sum, values, many, results); }),
            "reduce_segments: sum: offsets[4321] is 2, less than offsets[4320], 3");
}

TEST(Segments, WhatMakesNoSense) {
  const std::vector<double> values(4), numbers = {0, 1, 4};
  const std::vector<int> offsets = {0, 1, 4};
  std::vector<double> out(2);
  std::vector<int> whole(2);
  const auto refused = [](auto call) { return refusal(call) != "nothing"; };
  EXPECT_TRUE(refused([&] { foldline::reduce_segments(Operation::sum, values, numbers, out); }));
  EXPECT_TRUE(refused([&] { foldline::reduce_segments(Operation::dot, values, offsets, out); }));
  EXPECT_TRUE(refused([&] { foldline::reduce_segments(Operation::statistics, values, offsets, out); }));
  EXPECT_TRUE(refused([&] { foldline::reduce_segments(Operation::mean, values, offsets, whole); }));
  EXPECT_TRUE(
      refused([&] { foldline::reduce_segments(Operation::variance, values, offsets, out, {.ddof = -1}); }));
  EXPECT_TRUE(refused([&] {
    foldline::reduce_segments(Operation::sum, values, offsets, foldline::MutableVectorView(out.data(), 2, 0));
  }));
  const std::vector<int> empty = {2, 2, 2};
  EXPECT_THROW(foldline::reduce_segments(Operation::minimum, std::vector<int>{1, 2}, empty, whole),
               InvalidArgument);
}

TEST(Where, AlongAxesWhatMakesNoSense) {
  const std::vector<double> x(6);
  const foldline::ArrayView matrix(x.data(), {2, 3});
  const std::vector<std::uint8_t> mask(6), narrow(2);
  const foldline::ArrayView all(mask.data(), {2, 3});
  std::vector<double> out(2, 7), wrong(3);
  std::vector<int> counts(2);
  const auto refused = [&](const foldline::ArrayView& where, const foldline::AxisValues& axes,
                           const foldline::MutableArrayView& results,
                           const std::optional<foldline::MutableArrayView>& taken = {}) {
    return refusal([&] { foldline::reduce_axes_where(Operation::sum, matrix, where, axes, results, taken); });
  };
  EXPECT_EQ(refused(all, {1, -1}, out), "reduce_axes_where: sum: axis -1 is named twice");
  EXPECT_NE(refused(all, {2}, out), "nothing");
  EXPECT_EQ(refused(narrow, {1}, out), "reduce_axes_where: sum: a mask of shape 2 does not fit 2 x 3");
  EXPECT_EQ(refused(all, {1}, wrong),
            "reduce_axes_where: sum: the output has the shape 3, which is not that of 2 x 3 without its "
            "reduced axes");
  EXPECT_EQ(refused(all, {1}, out, counts), "reduce_axes_where: sum: counts are int64, not int32");
  EXPECT_EQ(refused({x.data(), {2, 3}}, {1}, out),
            "reduce_axes_where: sum: the mask is float64; it must be bool or uint8");
  EXPECT_EQ(out, (std::vector<double>{7, 7}));
}

// The first one, by any number of threads.
TEST(Segments, ResultsThatDoNotFitAreNamed) {
  std::vector<std::int8_t> values(200'000, 1);
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i <= 2000; ++i) offsets.push_back(100 * i);
  for (const int segment : {17, 18, 400, 1999}) values[static_cast<std::size_t>(100 * segment)] = 29;
  std::vector<std::int8_t> out(2000);
  for (const int threads : {1, 2, 5}) {
    const foldline::Context context = {.execution = {.threads = threads}};
    try {
      foldline::reduce_segments(Operation::sum, values, offsets, out, {}, context);
      ADD_FAILURE();
    } catch (const foldline::OverflowError& error) {
      EXPECT_EQ(error.problem(), "reduce_segments: segment 17: sum: the result 128 does not fit int8");
      EXPECT_TRUE(std::string(error.what()).ends_with("for the result modulo 2^8")) << error.what();
      EXPECT_TRUE(error.can_wrap());
    }
    offsets[3] = offsets[4];
    EXPECT_EQ(
        refusal([&] { foldline::reduce_segments(Operation::maximum, values, offsets, out, {}, context); }),
        "reduce_segments: segment 3: maximum: there is none of an empty vector, and int8 has no NaN; "
        "ask for a floating-point type");
    offsets[3] = 300;
    std::vector<int> keys(values.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<int>(1999 - i / 100);
    try {
      foldline::reduce_by_key(Operation::sum, keys, values, out, {}, context);
      ADD_FAILURE();
    } catch (const foldline::OverflowError& error) {
      EXPECT_EQ(error.problem(), "reduce_by_key: key 0: sum: the result 128 does not fit int8");
    }
  }
}

TEST(Segments, ResultsHaveMemoryOfTheirOwn) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6};
  const std::vector<int> offsets = {0, 2, 4};
  foldline::MutableVectorView there(values.data() + 4, 2);
  EXPECT_EQ(refusal([&] { foldline::reduce_segments(Operation::sum, values, offsets, there); }),
            "reduce_segments: sum: out overlaps values; results need memory of their own");
  std::vector<std::int64_t> wide = {0, 2, 4};
  foldline::MutableVectorView first(wide.data(), 2);
  EXPECT_EQ(refusal([&] { foldline::reduce_segments(Operation::sum, values, wide, first); }),
            "reduce_segments: sum: out overlaps offsets; results need memory of their own");
  std::vector<std::int64_t> keys = {1, 0, 1};
  EXPECT_EQ(refusal([&] {
              foldline::reduce_by_key(Operation::sum, keys, foldline::VectorView(values.data(), 3),
                                      foldline::MutableVectorView(keys.data(), 2));
            }),
            "reduce_by_key: sum: out overlaps keys; results need memory of their own");
  // Columns of a matrix of 2 rows, and one element of a column; beside the values, too.
  const std::vector<int> two = {0, 1, 2}, one = {0, 2};
  foldline::reduce_segments(Operation::sum, foldline::VectorView(values.data(), 2, 3), two,
                            foldline::MutableVectorView(values.data() + 1, 2, 3));
  foldline::reduce_segments(Operation::sum, foldline::VectorView(values.data(), 2, 3), one,
                            foldline::MutableVectorView(values.data() + 2, 1));
  EXPECT_EQ(values, (std::vector<double>{1, 1, 5, 4, 4, 6}));
  foldline::reduce_segments(Operation::sum, foldline::VectorView(values.data(), 4), offsets, there);
  EXPECT_EQ(values[4], 2);
}

TEST(Groups, WrongKeysAreNamed) {
  const std::vector<double> values(3);
  std::vector<double> out(4);
  const auto refused = [&](const std::vector<int>& keys) {
    return refusal([&] { foldline::reduce_by_key(Operation::sum, keys, values, out); });
  };
  EXPECT_EQ(refused({0, 4, 5}),
            "reduce_by_key: sum: keys[1] is 4; there are 4 results, so keys are in [0, 4)");
  EXPECT_EQ(refused({0, 1, -1}),
            "reduce_by_key: sum: keys[2] is -1; there are 4 results, so keys are in [0, 4)");
  EXPECT_EQ(refused({0, 1}), "reduce_by_key: sum: there are 2 keys for 3 values");
}

TEST(Segments, OfNothing) {
  const std::vector<double> values;
  std::vector<double> out, two(2, 9);
  foldline::reduce_segments(Operation::sum, values, std::vector<int>{0}, out);
  foldline::reduce_segments(Operation::sum, values, std::vector<int>{0, 0, 0}, two);
  EXPECT_EQ(two, (std::vector<double>{0, 0}));
  two = {9, 9};
  foldline::reduce_by_key(Operation::sum, std::vector<int>{}, values, two);
  EXPECT_EQ(two, (std::vector<double>{0, 0}));
  foldline::reduce_by_key(Operation::sum, std::vector<int>{}, values, out);
}

}  // namespace
