// Scans with Accuracy::fast: near the exact ones, and always the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "foldline/scan.hpp"
#include "scan_cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::infinity;
using cases::scanned;
using foldline::inclusive_scan;
using generators::Generator;
using generators::Random;

TEST(FastScan, IsNearTheExactOneAndTheSameForAnyThreads) {
  Random random(49);
  for (const Generator generator : {Generator::uniform, Generator::normal, Generator::ill_conditioned_sum}) {
    const std::vector<double> x = generators::generate(generator, ElementType::float64, 100'000, random).x;
    const std::vector<double> exact = scanned(x);
    std::vector<double> magnitudes;
    magnitudes.reserve(x.size());
    for (const double value : x) magnitudes.push_back(std::fabs(value));
    magnitudes = scanned(magnitudes);
    for (const foldline::Target target : foldline::available_targets()) {
      Context context = {.accuracy = foldline::Accuracy::fast, .execution = {.threads = 1, .target = target}};
      const std::vector<double> fast = scanned(x, context);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(std::fabs(fast[i] - exact[i]), 400 * 0x1p-53 * magnitudes[i]) << name_of(generator);
      for (context.execution.threads = 2; context.execution.threads <= 8; ++context.execution.threads)
        ASSERT_EQ(scanned(x, context), fast)
            << context.execution.threads << " threads on " << name_of(target);
    }
  }
}

// Floats are added up in an order of their own, and each part's sum is found twice: by a reduction and by the
// scan itself.
TEST(FastScan, OfFloatsIsNearTheExactOneAndTheSameForAnyThreads) {
  Random random(55);
  for (const Generator generator : {Generator::normal, Generator::ill_conditioned_sum, Generator::uniform}) {
    const std::vector<double> values =
        generators::generate(generator, ElementType::float32, 300'011, random).x;
    const std::vector<double> exact = scanned(values);
    std::vector<double> magnitudes;
    std::ranges::transform(values, std::back_inserter(magnitudes), [](double x) { return std::fabs(x); });
    magnitudes = scanned(magnitudes);
    const std::vector<float> x = cases::as<float>(values);
    for (const foldline::Target target : foldline::available_targets()) {
      Context context = {.accuracy = foldline::Accuracy::fast, .execution = {.threads = 1, .target = target}};
      std::vector<float> fast(x.size());
      inclusive_scan(x, fast, context);
      for (std::size_t i = 0; i < x.size(); ++i) {
        // In quads of floats, or in double with one rounding in the end.
        const double bound = target == foldline::Target::avx512
                                 ? 5 * 0x1p-24 * magnitudes[i]
                                 : 400 * 0x1p-53 * magnitudes[i] + std::fabs(exact[i]) * 0x1p-24;
        ASSERT_LE(std::fabs(fast[i] - exact[i]), bound * (1 + 0x1p-20) + 0x1p-149)
            << name_of(generator) << ' ' << i << " on " << name_of(target);
      }
      for (context.execution.threads = 2; context.execution.threads <= 8; ++context.execution.threads) {
        std::vector<float> again = x;
        inclusive_scan(again, again, context);
        ASSERT_EQ(again, fast) << context.execution.threads << " threads on " << name_of(target);
      }
    }
  }
}

TEST(FastScan, OfFloatsWhereResultsGoDoesNotShow) {
  Random random(56);
  const std::vector<float> x =
      cases::as<float>(generators::generate(Generator::normal, ElementType::float32, 2'300'011, random).x);
  for (const foldline::Target target : foldline::available_targets()) {
    Context context = {.accuracy = foldline::Accuracy::fast, .execution = {.threads = 3, .target = target}};
    std::vector<float> in_place = x;
    inclusive_scan(in_place, in_place, context);
    for (const std::size_t offset : {0u, 1u, 16u}) {
      context.execution.threads = offset == 0 ? 1 : 3;
      std::vector<float> memory(x.size() + offset);
      const std::span<float> out = std::span(memory).subspan(offset);
      inclusive_scan(x, out, context);
      ASSERT_TRUE(std::ranges::equal(out, in_place)) << name_of(target) << ' ' << offset;
    }
  }
}

// Whether results go through a buffer depends on where they go, and past the caches on their number.
TEST(FastScan, WhereResultsGoDoesNotShow) {
  Random random(54);
  const std::vector<double> x =
      generators::generate(Generator::normal, ElementType::float64, 1'200'011, random).x;
  for (const foldline::Target target : foldline::available_targets()) {
    const Context context = {.accuracy = foldline::Accuracy::fast,
                             .execution = {.threads = 3, .target = target}};
    std::vector<double> in_place = x;
    inclusive_scan(in_place, in_place, context);
    for (const std::size_t offset : {0u, 1u, 8u}) {
      std::vector<double> memory(x.size() + offset);
      const std::span<double> out = std::span(memory).subspan(offset);
      inclusive_scan(x, out, context);
      ASSERT_TRUE(std::ranges::equal(out, in_place)) << name_of(target) << ' ' << offset;
    }
  }
}

/// The fast scan on each target, which must be the same on 1 to 4 threads.
template <class T, class Check>
void for_each_fast_scan(const std::vector<T>& x, const Check& check) {
  for (const foldline::Target target : foldline::available_targets()) {
    Context context = {.accuracy = foldline::Accuracy::fast, .execution = {.threads = 1, .target = target}};
    std::vector<T> fast(x.size());
    inclusive_scan(x, fast, context);
    check(fast);
    for (context.execution.threads = 2; context.execution.threads <= 4; ++context.execution.threads) {
      std::vector<T> again(x.size(), T(-7));
      inclusive_scan(x, again, context);
      ASSERT_TRUE(std::ranges::equal(again, fast, [](T a, T b) { return a == b || (a != a && b != b); }))
          << context.execution.threads << " threads on " << name_of(target);
    }
  }
}

// Sums of neighbours overflow where no prefix sum does: they must not come out as infinite, wherever in a
// vector or a quad they are.
template <class T>
void overflow_on_the_way() {
  const T large = std::numeric_limits<T>::max() * T(0.75);
  for (std::size_t place = 0; place < 40; ++place) {
    std::vector<T> x(70'000, T(0));
    x[place + 1] = x[place + 2] = large;
    x[place] = x[place + 3] = -large;
    for_each_fast_scan(x, [&](const std::vector<T>& fast) {
      EXPECT_EQ(fast[place], -large) << place;
      EXPECT_EQ(fast[place + 1], 0) << place;
      EXPECT_EQ(fast[place + 2], large) << place;
      EXPECT_EQ(fast[place + 3], 0) << place;
      EXPECT_EQ(fast.back(), 0) << place;
    });
  }
}
TEST(FastScan, SumsThatOverflowOnTheWayDoNotShow) {
  overflow_on_the_way<float>();
  overflow_on_the_way<double>();
}

// Vectors that end within a quad, a vector or a group, where vectors are read in place or gathered.
TEST(FastScan, OfAnySizeAndStride) {
  Random random(58);
  const std::vector<float> all =
      cases::as<float>(generators::generate(Generator::normal, ElementType::float32, 5000, random).x);
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 200; ++n) sizes.push_back(n);
  for (int i = 0; i < 50; ++i) sizes.push_back(static_cast<std::size_t>(random.log_uniform(5000)));
  for (const foldline::Target target : foldline::available_targets()) {
    const Context context = {.accuracy = foldline::Accuracy::fast,
                             .execution = {.threads = 1, .target = target}};
    for (const std::size_t n : sizes) {
      const std::span<const float> x = std::span(all).first(n);
      std::vector<float> every_third(3 * n);
      for (std::size_t i = 0; i < n; ++i) every_third[3 * i] = x[i];
      std::vector<float> fast(n), of_strided(n);
      double sum = 0, magnitudes = 0;  // of floats, exact but for 2^-53 each
      inclusive_scan(x, fast, context);
      for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<double>(x[i]);
        magnitudes += std::fabs(static_cast<double>(x[i]));
        ASSERT_LE(std::fabs(static_cast<double>(fast[i]) - sum), 5 * 0x1.001p-24 * magnitudes)
            << n << ' ' << i;
      }
      foldline::inclusive_scan(foldline::VectorView(every_third.data(), static_cast<std::int64_t>(n), 3),
                               foldline::MutableVectorView(of_strided), context);
      // The same but where the last part of a group begins a tile of its own.
      const std::size_t whole = n / 32 * 32;
      ASSERT_TRUE(std::ranges::equal(std::span(fast).first(whole), std::span(of_strided).first(whole))) << n;
      std::vector<float> exclusive(n, -7.0f);
      foldline::exclusive_scan(x, exclusive, 0.0, context);
      ASSERT_EQ(exclusive[0], 0.0f);
      ASSERT_TRUE(std::equal(exclusive.begin() + 1, exclusive.end(), fast.begin())) << n;
    }
  }
}

// What a tile counts for in the sums after it is found by two different passes if there are several threads.
TEST(FastScan, NumbersOfThreadsDoNotShowWhateverATileIs) {
  Random random(57);
  const std::vector<double> values =
      generators::generate(Generator::normal, ElementType::float32, 200'003, random).x;
  const auto check = [&]<class T>(T large) {
    for (const int kind : {0, 1, 2, 3}) {
      std::vector<T> x(values.begin(), values.end());
      if (kind == 0) x[0] = T(-0.0);                                   // it is not known yet what -0 begins
      if (kind == 1) std::fill(x.begin(), x.begin() + 5000, T(-0.0));  // and tiles of nothing else
      if (kind == 2)  // the tile's own sum overflows, its elements' does not in the end
        for (const std::size_t i : {1000u, 1032u}) x[i] = large, x[i + 1] = -large;
      if (kind == 3) x[100'000] = std::numeric_limits<T>::infinity();
      for_each_fast_scan(x, [&](const std::vector<T>& fast) {
        EXPECT_EQ(std::signbit(fast[0]), std::signbit(x[0]));
        if (kind != 3) {
          EXPECT_LT(std::fabs(fast.back()), T(1e7));
        }
      });
    }
  };
  check(std::numeric_limits<float>::max());
  check(std::numeric_limits<double>::max());
}

TEST(FastScan, IntegersAreAddedExactly) {
  std::vector<std::int64_t> x(10'000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (std::int64_t{1} << 48) + static_cast<std::int64_t>(i * i);
  std::vector<double> fast(x.size()), exact(x.size());
  foldline::inclusive_scan(foldline::VectorView(x), foldline::MutableVectorView(exact), {});
  for (const foldline::Target target : foldline::available_targets()) {
    foldline::inclusive_scan(
        foldline::VectorView(x), foldline::MutableVectorView(fast),
        {.accuracy = foldline::Accuracy::fast, .execution = {.threads = 2, .target = target}});
    EXPECT_EQ(fast, exact) << name_of(target);
  }
}

TEST(FastScan, SpecialsAndOverflowGiveTheExactOnes) {
  const Context fast = {.accuracy = foldline::Accuracy::fast};
  std::vector<double> x(5000, 1.0);
  x[3000] = x[3001] = 0x1p1023;
  x[3002] = -0x1p1023;
  std::vector<double> in_place = x;
  inclusive_scan(in_place, in_place, fast);
  EXPECT_EQ(in_place, scanned(x, fast));
  EXPECT_EQ(in_place[2999], 3000);
  EXPECT_EQ(in_place[3001], infinity);
  EXPECT_EQ(in_place[3002], 0x1p1023);
  EXPECT_EQ(scanned({0x1p1023, 0x1p1023, -0x1p1023}, fast),
            (std::vector<double>{0x1p1023, infinity, 0x1p1023}));
  EXPECT_EQ(scanned({1, infinity, 2}, fast), (std::vector<double>{1, infinity, infinity}));
  EXPECT_EQ(cases::bits_of(scanned({infinity, -infinity}, fast)[1]),
            oracle::canonical_nan(ElementType::float64));
}

}  // namespace
