// Scans with a rounding at every addition: within the bound of docs/contract.md of the exact results, and by
// the rules for infinite and NaN elements and zeros.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "lane.hpp"

namespace {

using namespace cuda_test;

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr Context fast{.accuracy = foldline::Accuracy::fast};
constexpr Context waiting_and_fast{.accuracy = foldline::Accuracy::fast,
                                   .execution = {.device = foldline::Device::cuda()}};

/// The results of fast scans of x, which do not wait, and which must be those of calls that do.
template <class T>
std::vector<T> fast_scan(const std::vector<T>& x, bool exclusive, Lane& lane) {
  const auto size = static_cast<std::int64_t>(x.size());
  const DeviceMemory<T> there{std::span(x)}, out(size);
  const VectorView view(there.data(), size);
  const MutableVectorView target(out.data(), size), in_place(there.data(), size);
  std::vector<T> results(x.size()), others(x.size());
  set_bytes(out.data(), 0xff, x.size() * sizeof(T));
  const auto scan = [&](const MutableVectorView& to) {
    if (exclusive)
      async::exclusive_scan(view, to, foldline::Scalar(0), lane.queue(), fast);
    else
      async::inclusive_scan(view, to, lane.queue(), fast);
    lane.wait();
  };
  scan(target);
  check(cudaMemcpy(results.data(), out.data(), x.size() * sizeof(T), cudaMemcpyDeviceToHost));
  const auto expect_the_same = [&](const T* from, const char* how) {
    check(cudaMemcpy(others.data(), from, x.size() * sizeof(T), cudaMemcpyDeviceToHost));
    EXPECT_EQ(std::memcmp(others.data(), results.data(), x.size() * sizeof(T)), 0) << how << ' ' << size;
  };
  const Context waiting = waiting_and_fast;
  set_bytes(out.data(), 0xff, x.size() * sizeof(T));
  if (exclusive)
    foldline::exclusive_scan(view, target, foldline::Scalar(0), waiting);
  else
    foldline::inclusive_scan(view, target, waiting);
  expect_the_same(out.data(), "with a call that waits");
  scan(in_place);
  expect_the_same(there.data(), "in place");
  return results;
}

/// 40 roundings of the sum of the magnitudes up to each element.
template <class T>
void expect_within_bound(const std::vector<T>& x, Lane& lane, const std::string& what) {
  std::vector<T> magnitudes(x);
  for (T& value : magnitudes) value = std::abs(value);
  for (const bool exclusive : {false, true}) {
    std::vector<double> exact(x.size()), bound(x.size());
    if (exclusive) {
      foldline::exclusive_scan(x, exact, 0);
      foldline::exclusive_scan(magnitudes, bound, 0);
    } else {
      foldline::inclusive_scan(x, exact);
      foldline::inclusive_scan(magnitudes, bound);
    }
    const std::vector<T> results = fast_scan(x, exclusive, lane);
    const double rounding = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double error = std::abs(static_cast<double>(results[i]) - exact[i]);
      ASSERT_FALSE(!(error <= (40 + 1e-6) * rounding * bound[i]))
          << what << ": " << i << " of " << x.size() << (exclusive ? " exclusive " : " inclusive ")
          << results[i] << " for " << exact[i];
    }
  }
}

TEST_F(CudaAsync, FastScansAreWithinTheirBound) {
  Lane lane;
  // Up to 128 KiB on every multiprocessor they are scanned at once, in 1 to 16 rounds of 8 KiB; beyond, a
  // tile has 9216 floats or 4608 doubles. (An H200 has 132 multiprocessors.)
  for (const std::int64_t size : {1, 2, 3, 5, 1000, 1023, 1024, 1025, 132 * 1024, 132 * 2048 + 1, 132 * 4096,
                                  132 * 8192 - 1, 1'000'003, 132 * 16384 + 1, 3'000'017, 5'000'003}) {
    const auto x = normal_deviates(size, 40);
    expect_within_bound(x, lane, "normal");
    expect_within_bound(std::vector<float>(x.begin(), x.end()), lane, "normal floats");
  }
  std::mt19937_64 random(41);
  for (const int spread : {20, 200, 2000}) {  // binades; what is before a large element must not be lost
    auto x = normal_deviates(500'000, 42);
    for (double& value : x) value = std::ldexp(value, static_cast<int>(random() % spread) - spread / 2);
    expect_within_bound(x, lane, "wide");
    if (spread < 2000) expect_within_bound(std::vector<float>(x.begin(), x.end()), lane, "wide floats");
  }
  std::vector<double> x(700'001, 1e-3);  // small, then far larger
  for (std::size_t i = 300'000; i < x.size(); i += 1001) x[i] = i % 2 == 0 ? 1e30 : -1e30;
  expect_within_bound(x, lane, "large later");
  expect_within_bound(std::vector<float>(x.begin(), x.end()), lane, "large floats later");
}

template <class T>
void expect_results_of_exact_scans(const std::vector<T>& x, Lane& lane, const std::string& what) {
  for (const bool exclusive : {false, true}) {
    std::vector<T> expected(x.size());
    if (exclusive)
      foldline::exclusive_scan(x, expected, 0);
    else
      foldline::inclusive_scan(x, expected);
    const std::vector<T> results = fast_scan(x, exclusive, lane);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(std::memcmp(&results[i], &expected[i], sizeof(T)), 0)
          << what << (exclusive ? ", exclusive: " : ": ") << i << " of " << x.size() << ' ' << results[i]
          << " for " << expected[i];
  }
}

TEST_F(CudaAsync, FastScansOfSpecialValues) {
  Lane lane;
  for (const std::size_t size : {10, 4608, 200'000}) {
    const auto check_both = [&](const std::vector<double>& x, const char* what) {
      expect_results_of_exact_scans(x, lane, what);
      expect_results_of_exact_scans(std::vector<float>(x.begin(), x.end()), lane, what);
    };
    std::vector<double> x(size, 3.0);
    x[size / 2] = infinity;
    check_both(x, "infinity");
    x[size - 2] = -infinity;
    check_both(x, "infinities");
    x[size / 3] = -std::numeric_limits<double>::quiet_NaN();
    check_both(x, "NaN");
    x.assign(size, -0.0);
    check_both(x, "-0");
    x[size - 2] = 0.0;
    check_both(x, "-0, then 0");
    x.assign(size, 0.0);
    check_both(x, "0");
    x.assign(size, 1.0);
    for (std::size_t i = 1; i < size; i += 2) x[i] = -1.0;
    check_both(x, "to 0 and back");
  }
  std::vector<float> floats(100'000, 3e38f);  // beyond the range and back
  for (std::size_t i = 50'000; i < floats.size(); ++i) floats[i] = -3e38f;
  expect_results_of_exact_scans(floats, lane, "large floats");
  for (const std::size_t size : {100'000, 3'000'000}) {  // the same, after tiles that need no care
    std::vector<double> x(size, 0.0);
    for (std::size_t i = size / 5; i < size / 5 * 3; ++i) x[i] = i < size / 5 * 2 ? 0x1p1023 : -0x1p1023;
    expect_results_of_exact_scans(x, lane, "large doubles");
    x[size / 6] = 0x1p-1070, x[size / 2] = 0x1p899, x[size / 5 * 4] = -0x1p1023;
    expect_results_of_exact_scans(x, lane, "large and small doubles");
  }
}

// One launch takes 2^17 tiles; those after it go on with exact sums.
template <class T>
void expect_scan_of_several_launches(std::int64_t tile, Lane& lane) {
  const std::int64_t size = tile * (std::int64_t{1} << 17) + 100'003;
  const DeviceMemory<T> x(size);
  set_bytes(x.data(), 0x3f, static_cast<std::size_t>(size) * sizeof(T));
  std::vector<T> some(1);
  check(cudaMemcpy(some.data(), x.data(), sizeof(T), cudaMemcpyDeviceToHost));
  const T element = some[0];
  async::inclusive_scan(VectorView(x.data(), size), MutableVectorView(x.data(), size), lane.queue(), fast);
  lane.wait();
  some.resize(50'000);
  for (const std::int64_t first : {std::int64_t{0}, size / 2, size - 120'000, size - 50'000}) {
    check(cudaMemcpy(some.data(), x.data() + first, some.size() * sizeof(T), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double expected =
          static_cast<double>(element) * static_cast<double>(first + static_cast<std::int64_t>(i) + 1);
      const double error = std::abs(static_cast<double>(some[i]) - expected);
      ASSERT_FALSE(!(error <= 41 * (sizeof(T) == 4 ? 0x1p-24 : 0x1p-53) * expected))
          << first << " + " << i << " of " << size << ": " << some[i] << " for " << expected;
    }
  }
}

TEST_F(CudaAsync, FastScansInSeveralLaunches) {
  Lane lane;
  expect_scan_of_several_launches<float>(9216, lane);
  expect_scan_of_several_launches<double>(4608, lane);
}

// A RunningScan goes on from what a fast scan leaves.
TEST_F(CudaAsync, FastScansInBlocks) {
  const auto x = normal_deviates(300'000, 43);
  for (const auto& later : {std::vector<double>{1.0}, std::vector<double>{-0.0, infinity}}) {
    const DeviceMemory<double> there{std::span(x)}, out(300'000), second{std::span(later)};
    const auto size = static_cast<std::int64_t>(later.size());
    std::vector<double> last(1), results(later.size());
    const Context context = waiting_and_fast;
    foldline::RunningScan scan(foldline::ScanKind::inclusive);
    scan.next(VectorView(there.data(), 300'000), MutableVectorView(out.data(), 300'000), context);
    check(cudaMemcpy(last.data(), out.data() + 299'999, sizeof(double), cudaMemcpyDeviceToHost));
    scan.next(VectorView(second.data(), size), MutableVectorView(second.data(), size), context);
    check(cudaMemcpy(results.data(), second.data(), later.size() * sizeof(double), cudaMemcpyDeviceToHost));
    EXPECT_NEAR(results[0], last[0] + later[0], 1e-9);
    if (size > 1) {
      EXPECT_EQ(results[1], infinity);
    }
  }
}

// The sum of a block is beyond the range, that of the next one brings it back.
TEST_F(CudaAsync, FastScansInBlocksBeyondTheRange) {
  const Context context = waiting_and_fast;
  foldline::RunningScan scan(foldline::ScanKind::inclusive);
  for (const double element : {0x1p1023, -0x1p1023}) {
    std::vector<double> x(1000, element), results(x.size());
    const DeviceMemory<double> there{std::span(x)};
    const MutableVectorView view(there.data(), 1000);
    scan.next(view, view, context);
    check(cudaMemcpy(results.data(), there.data(), x.size() * sizeof(double), cudaMemcpyDeviceToHost));
    EXPECT_EQ(results.front(), element > 0 ? 0x1p1023 : infinity);
    EXPECT_EQ(results[998], element > 0 ? infinity : 0x1p1023);
    EXPECT_EQ(results.back(), element > 0 ? infinity : 0);
  }
}

}  // namespace
