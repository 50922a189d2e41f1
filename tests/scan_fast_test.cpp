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
using cases::scanned;
using foldline::inclusive_scan;
using generators::Generator;
using generators::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();

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
      Context context = {.accuracy = foldline::Accuracy::fast, .threads = 1, .target = target};
      const std::vector<double> fast = scanned(x, context);
      for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_LE(std::fabs(fast[i] - exact[i]), 400 * 0x1p-53 * magnitudes[i]) << name_of(generator);
      for (context.threads = 2; context.threads <= 8; ++context.threads)
        ASSERT_EQ(scanned(x, context), fast) << context.threads << " threads on " << name_of(target);
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
      Context context = {.accuracy = foldline::Accuracy::fast, .threads = 1, .target = target};
      std::vector<float> fast(x.size());
      inclusive_scan(x, fast, context);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double rounding = std::fabs(exact[i]) * 0x1p-24 + 0x1p-149;
        ASSERT_LE(std::fabs(fast[i] - exact[i]), 400 * 0x1p-53 * magnitudes[i] * (1 + 0x1p-20) + rounding)
            << name_of(generator) << ' ' << i << " on " << name_of(target);
      }
      for (context.threads = 2; context.threads <= 8; ++context.threads) {
        std::vector<float> again = x;
        inclusive_scan(again, again, context);
        ASSERT_EQ(again, fast) << context.threads << " threads on " << name_of(target);
      }
    }
  }
}

TEST(FastScan, OfFloatsWhereResultsGoDoesNotShow) {
  Random random(56);
  const std::vector<float> x =
      cases::as<float>(generators::generate(Generator::normal, ElementType::float32, 2'300'011, random).x);
  for (const foldline::Target target : foldline::available_targets()) {
    Context context = {.accuracy = foldline::Accuracy::fast, .threads = 3, .target = target};
    std::vector<float> in_place = x;
    inclusive_scan(in_place, in_place, context);
    for (const std::size_t offset : {0u, 1u, 16u}) {
      context.threads = offset == 0 ? 1 : 3;
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
    const Context context = {.accuracy = foldline::Accuracy::fast, .threads = 3, .target = target};
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
