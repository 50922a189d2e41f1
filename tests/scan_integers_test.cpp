// Scans of integers, against wide ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "arithmetic/host_device.hpp"
#include "foldline/scan.hpp"
#include "integer_cases.hpp"
#include "scan_cases.hpp"

namespace {

using cases::Context;
using cases::infinity;
using foldline::exclusive_scan;
using foldline::inclusive_scan;
using foldline::InvalidArgument;
using generators::Random;

TEST(IntegerScan, AddsInTheTypeOfTheResults) {
  const std::vector<std::int8_t> x = {100, 100, -128, -128};
  std::vector<std::int64_t> out(4);
  inclusive_scan(x, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{100, 200, 72, -56}));
  exclusive_scan(x, out, 5);
  EXPECT_EQ(out, (std::vector<std::int64_t>{5, 105, 205, 77}));
  std::vector<double> doubles(4);
  exclusive_scan(x, doubles, 0.5);
  EXPECT_EQ(doubles, (std::vector<double>{0.5, 100.5, 200.5, 72.5}));
  const bool flags[] = {true, false, true, true};
  inclusive_scan(flags, out);
  EXPECT_EQ(out, (std::vector<std::int64_t>{1, 1, 2, 3}));
}

TEST(IntegerScan, AResultThatDoesNotFitIsAnErrorOrWraps) {
  const std::vector<std::int8_t> x = {100, 27, 1, -128};
  std::vector<std::int8_t> out(4);
  try {
    inclusive_scan(x, out);
    FAIL() << "128 was taken for an int8";
  } catch (const foldline::OverflowError& error) {
    EXPECT_STREQ(
        error.what(),
        "inclusive_scan: result 2 does not fit int8; ask for a floating-point type or a wider one, or "
        "with Overflow::wrap for results modulo 2^8; out was written to in part");
  }
  inclusive_scan(x, out, {.overflow = foldline::Overflow::wrap});
  EXPECT_EQ(out, (std::vector<std::int8_t>{100, 127, -128, 0}));
  EXPECT_NO_THROW(exclusive_scan(std::span(x).first(3), std::span(out).first(3)));  // 128 is no result of it
}

TEST(IntegerScan, SixtyFourBitsAreExact) {
  const std::uint64_t huge = ~std::uint64_t{0};
  std::vector<std::uint64_t> out(2);
  inclusive_scan(std::vector<std::int64_t>{-1, 1}, out, {.overflow = foldline::Overflow::wrap});
  EXPECT_EQ(out, (std::vector<std::uint64_t>{huge, 0}));
  inclusive_scan(std::vector<std::uint64_t>{huge - 1, 1}, out);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{huge - 1, huge}));
  EXPECT_THROW(inclusive_scan(std::vector<std::uint64_t>{huge, 1}, out), foldline::OverflowError);
  EXPECT_THROW(inclusive_scan(std::vector<std::int64_t>{1, -2}, out), foldline::OverflowError);
  std::vector<float> floats(2);
  inclusive_scan(std::vector<std::uint64_t>{(std::uint64_t{1} << 60) + 1, std::uint64_t{1} << 36}, floats);
  EXPECT_EQ(floats, (std::vector<float>{0x1p60f, 0x1.000002p60f}));  // a bit above halfway
}

TEST(IntegerScan, RefusesSumsThatAreNoIntegers) {
  std::vector<std::int64_t> out(2);
  EXPECT_THROW(inclusive_scan(std::vector<double>{1, 2}, out), InvalidArgument);
  EXPECT_THROW(exclusive_scan(std::vector<int>{1, 2}, out, 0.5), InvalidArgument);
  EXPECT_THROW(exclusive_scan(std::vector<int>{1, 2}, out, infinity), InvalidArgument);
  EXPECT_NO_THROW(exclusive_scan(std::vector<int>{1, 2}, out, -3.0));
  EXPECT_EQ(out, (std::vector<std::int64_t>{-3, -2}));
}

/// Any integers as elements and any type of results, against 128 bits.
template <class T, class Out>
void check_integers(Random& random) {
  std::vector<T> x(static_cast<std::size_t>(random.log_uniform(5000)));
  const int shift = static_cast<int>(random.between(0, 8 * static_cast<int>(sizeof(T)) - 1));
  for (T& element : x) element = static_cast<T>(static_cast<T>(random.bits()) >> shift);
  const bool exclusive = random.coin();
  const std::int64_t init = exclusive ? random.between(-1000, 1000) : 0;
  std::vector<Out> expected;
  std::size_t overflow = x.size();
  foldline::Int128 sum = init;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const foldline::Int128 before = sum;
    sum += x[i];
    const foldline::Int128 result = exclusive ? before : sum;
    expected.push_back(static_cast<Out>(result));
    if (expected.back() != result && overflow == x.size()) overflow = i;
  }
  for (const foldline::Target target : foldline::available_targets()) {
    Context context = {.overflow = foldline::Overflow::wrap,
                       .execution = {.threads = static_cast<int>(random.between(1, 4)), .target = target}};
    const auto scan = [&](auto& out) {
      if (exclusive)
        exclusive_scan(x, out, init, context);
      else
        inclusive_scan(x, out, context);
    };
    std::vector<Out> out(x.size());
    scan(out);
    ASSERT_EQ(out, expected) << name_of(target);
    context.overflow = foldline::Overflow::error;
    if (overflow == x.size()) {
      std::ranges::fill(out, Out{});
      scan(out);
      ASSERT_EQ(out, expected) << name_of(target);
    } else {
      try {
        scan(out);
        FAIL() << "no overflow error on " << name_of(target);
      } catch (const foldline::OverflowError& error) {
        ASSERT_NE(std::string(error.what()).find("result " + std::to_string(overflow) + " does"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(IntegerScan, RandomOnesAgreeWithWideIntegers) {
  Random random(50);
  const auto with_results = [&random](auto element) {
    using T = decltype(element);
    check_integers<T, std::int8_t>(random);
    check_integers<T, std::uint16_t>(random);
    check_integers<T, std::int32_t>(random);
    check_integers<T, std::int64_t>(random);
    check_integers<T, std::uint64_t>(random);
  };
  for (int round = 0; round < 40; ++round) {
    with_results(std::int8_t());
    with_results(std::uint8_t());
    with_results(std::int16_t());
    with_results(std::uint16_t());
    with_results(std::int32_t());
    with_results(std::uint32_t());
    with_results(std::int64_t());
    with_results(std::uint64_t());
  }
}

/// Small elements, and now and then one after which the sum is the largest T, or the lowest one.
template <class T>
std::vector<T> touching_limits(std::size_t size, Random& random) {
  using Limits = std::numeric_limits<T>;
  constexpr std::size_t leg = 20'000;
  std::vector<T> x(size);
  T sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t number = i / leg % 4;
    const T small = static_cast<T>(random.between(0, 999));
    if (Limits::is_signed)
      x[i] = static_cast<T>(number == 1 ? -small : number == 3 ? small : 0);
    else
      x[i] = i + leg < size ? small : T{0};
    if (i % leg == 0 && (Limits::is_signed ? number == 1 : i + leg >= size))
      x[i] = static_cast<T>(Limits::max() - sum);
    if (Limits::is_signed && i % leg == 0 && number % 2 == 0) x[i] = static_cast<T>(-sum);
    if (Limits::is_signed && i % leg == 1 && number == 2) x[i] = Limits::min();
    sum = static_cast<T>(sum + x[i]);
  }
  return x;
}

// Long enough that results go past the caches, at every place within a vector.
template <class T>
void check_long_integers() {
  Random random(53);
  std::vector<T> x = touching_limits<T>((std::size_t{9} << 20) / sizeof(T) + 77, random);
  std::vector<T> expected;
  expected.reserve(x.size());
  for (const T element : x)
    expected.push_back(static_cast<T>((expected.empty() ? T{0} : expected.back()) + element));
  std::vector<T> memory(x.size() + 8);
  const auto scan = [&](std::size_t offset, foldline::Target target) {
    const std::span<T> out = std::span(memory).subspan(offset, x.size());
    inclusive_scan(x, out, {.execution = {.threads = offset == 1 ? 1 : 3, .target = target}});
    return std::ranges::equal(out, expected);
  };
  for (const foldline::Target target : foldline::available_targets())
    for (const std::size_t offset : {0u, 1u, 8u})
      ASSERT_TRUE(scan(offset, target)) << name_of(target) << ' ' << offset;
  const T before = expected[x.size() - 2];
  ASSERT_NE(before, 0);
  x.back() = static_cast<T>(before > 0 ? std::numeric_limits<T>::max() - before + 1
                                       : std::numeric_limits<T>::min() - before - 1);
  for (const foldline::Target target : foldline::available_targets())
    EXPECT_THROW(scan(0, target), foldline::OverflowError) << name_of(target);
}

TEST(IntegerScan, LongVectors) {
  check_long_integers<std::int32_t>();
  check_long_integers<std::uint32_t>();
  check_long_integers<std::int64_t>();
  check_long_integers<std::uint64_t>();
}

TEST(IntegerScan, RandomCases) {
  const char* count = std::getenv("FOLDLINE_TEST_CASES");
  const std::uint64_t seeds = count != nullptr ? std::strtoull(count, nullptr, 10) / 4 : 3000;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) ASSERT_EQ(integer_cases::check_random_scan(seed), "");
}

}  // namespace
