// Asynchronous scans give the bits of the CPU and report overflow.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "lane.hpp"

namespace {

using namespace cuda_test;

/// The results of both scans of x, begun with 3, are those of the CPU.
template <class T, class R = T>
void expect_scans(const std::vector<T>& x, Lane& lane, const std::string& what, std::int64_t skipped = 0) {
  const auto size = static_cast<std::int64_t>(x.size()) - skipped;
  const DeviceMemory<T> there{std::span(x)};
  const DeviceMemory<R> out(size + skipped);
  const VectorView from_host(x.data() + skipped, size), from_device(there.data() + skipped, size);
  const MutableVectorView target(out.data() + skipped, size);
  std::vector<R> expected(static_cast<std::size_t>(size)), results(expected);
  for (const bool exclusive : {false, true}) {
    if (exclusive) {
      foldline::exclusive_scan(from_host, expected, 3);
      async::exclusive_scan(from_device, target, foldline::Scalar(3), lane.queue());
    } else {
      foldline::inclusive_scan(from_host, expected);
      async::inclusive_scan(from_device, target, lane.queue());
    }
    lane.wait();
    check(cudaMemcpy(results.data(), out.data() + skipped, expected.size() * sizeof(R),
                     cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(std::memcmp(&results[i], &expected[i], sizeof(R)), 0)
          << what << ": " << i << " of " << size << (exclusive ? " exclusive" : " inclusive");
  }
  ASSERT_EQ(lane.take_status(), 0) << what;
}

TEST_F(CudaAsync, Scans) {
  Lane lane;
  for (const std::int64_t size : {1, 2, 5, 1000, 4480, 4481, 1'000'003}) {
    const auto x = normal_deviates(size, 30);
    const std::vector<float> floats(x.begin(), x.end());
    std::vector<std::int32_t> ints;
    std::vector<std::int64_t> longs;
    std::vector<std::int8_t> bytes;
    for (const double value : x) {
      ints.push_back(static_cast<std::int32_t>(value * 100));
      longs.push_back(static_cast<std::int64_t>(value * 1e12));
      bytes.push_back(static_cast<std::int8_t>(value * 10));
    }
    expect_scans(x, lane, "doubles");
    expect_scans(floats, lane, "floats");
    expect_scans(ints, lane, "int32");
    expect_scans(longs, lane, "int64");
    expect_scans<std::int8_t, std::int64_t>(bytes, lane, "int8 to int64");
    expect_scans<float, double>(floats, lane, "floats to doubles");
    for (const std::int64_t skipped : {1, 2, 3}) {
      if (skipped >= size) continue;
      expect_scans(x, lane, "doubles", skipped);
      expect_scans(floats, lane, "floats", skipped);
      expect_scans(ints, lane, "int32", skipped);
    }
  }
}

// What pipelines of doubles and floats leave to the last launch: nothing, all, or all from some tile on.
TEST_F(CudaAsync, ScansOfWhatNoWindowHolds) {
  Lane lane;
  std::mt19937_64 random(31);
  for (const std::int64_t wide : {0, 1, 150'000, 299'999}) {
    auto x = normal_deviates(300'000, 32);
    for (auto i = static_cast<std::size_t>(wide); i < x.size(); i += wide == 0 ? 1 : 100'000)
      x[i] = std::ldexp(x[i], static_cast<int>(random() % 2000) - 1000);
    expect_scans(x, lane, "doubles, wide from " + std::to_string(wide));
    expect_scans(x, lane, "doubles, wide from " + std::to_string(wide), 1);
    std::vector<float> floats;
    for (const double value : x) floats.push_back(static_cast<float>(value));
    expect_scans(floats, lane, "floats, wide from " + std::to_string(wide));
  }
  auto x = normal_deviates(10'000, 33);
  x[5000] = std::numeric_limits<double>::infinity();
  x[7000] = -std::numeric_limits<double>::infinity();
  expect_scans(x, lane, "infinities");
  expect_scans(std::vector<double>(5000, -0.0), lane, "-0");
}

TEST_F(CudaAsync, ScansThatOverflow) {
  Lane lane;
  for (const std::int64_t skipped : {0, 1}) {
    std::vector<std::int32_t> x(50'000, 1);
    x[20'000] = INT32_MAX;
    x[30'000] = INT32_MAX;
    const DeviceMemory<std::int32_t> there{std::span(x)}, out(50'000);
    const VectorView view(there.data() + skipped, 50'000 - skipped);
    const MutableVectorView target(out.data() + skipped, 50'000 - skipped);
    async::inclusive_scan(view, target, lane.queue());
    EXPECT_EQ(lane.take_status(), -1 - (20'000 - skipped));
    async::inclusive_scan(view.part(0, 1000), target.part(0, 1000), lane.queue());
    EXPECT_EQ(lane.take_status(), 0) << "it is no matter of later calls";
    async::inclusive_scan(view, target, lane.queue(), {.overflow = foldline::Overflow::wrap});
    EXPECT_EQ(lane.take_status(), 0);
  }
  const std::vector<std::int8_t> bytes(1000, 1);
  const DeviceMemory<std::int8_t> there{std::span(bytes)}, out(1000);
  async::inclusive_scan(VectorView(there.data(), 1000), MutableVectorView(out.data(), 1000), lane.queue());
  EXPECT_EQ(lane.take_status(), -1 - 127);
}

// Beyond what 128 bits hold, where no type of integers has results.
TEST_F(CudaAsync, ScansOfIntegersThatBeginFarBeyondThem) {
  Lane lane;
  const std::vector<std::int64_t> x(70'000, 1);
  const DeviceMemory<std::int64_t> there{std::span(x)}, out(70'000);
  const VectorView view(there.data(), 70'000);
  const MutableVectorView target(out.data(), 70'000);
  for (const double init : {0x1p127, 0x1p128, -0x1p128, 0x1p1000}) {
    EXPECT_THROW(async::exclusive_scan(view, target, foldline::Scalar(init), lane.queue()),
                 foldline::OverflowError);
    async::exclusive_scan(view, target, foldline::Scalar(init), lane.queue(),
                          {.overflow = foldline::Overflow::wrap});
    EXPECT_EQ(lane.take_status(), 0) << init;
    std::vector<std::int64_t> results(x.size());
    check(cudaMemcpy(results.data(), out.data(), 8 * results.size(), cudaMemcpyDeviceToHost));
    EXPECT_EQ(results.front(), 0);
    EXPECT_EQ(results.back(), 69'999);
  }
}

}  // namespace
