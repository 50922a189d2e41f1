// Scans along an axis on a GPU, waiting and queued, against the oracle and the CPU.
#include "scan_axis_cases.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <type_traits>

#include "lane.hpp"

namespace {

using namespace cuda_test;
using axes_cases::AxisScanCall;
using foldline::ArrayView;
using foldline::MutableArrayView;
using foldline::OverflowError;

class CudaScanAxis : public GpuTest {};

bool scan_queued(const ArrayView& a, const MutableArrayView& out, const AxisScanCall& call, Lane& lane) {
  const auto axis = static_cast<std::int64_t>(call.axis);
  const foldline::Context context{.overflow = call.overflow};
  if (call.exclusive)
    async::exclusive_scan_axis(a, axis, out, call.init, lane.queue(), context);
  else
    async::inclusive_scan_axis(a, axis, out, lane.queue(), context);
  return lane.take_status() == 0;
}

TEST_F(CudaScanAxis, RandomArrays) {
  Lane lane;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const auto waiting = [](const auto& a, const auto& out, const auto& call) {
      return axes_cases::scan_axis(a, out, call, on_gpu);
    };
    const auto queued = [&](const auto& a, const auto& out, const auto& call) {
      return scan_queued(a, out, call, lane);
    };
    ASSERT_EQ(axes_cases::check_random_axis_scan(seed, Device::cuda(), waiting), "");
    ASSERT_EQ(axes_cases::check_random_axis_scan(seed, Device::cuda(), queued), "") << "queued";
    if (seed % 8 == 0) {
      ASSERT_EQ(axes_cases::check_random_axis_scan(seed, {}, waiting), "") << "of the host's arrays";
    }
  }
}

/// Both scans of a matrix along both axes, in place and not, have the bits of the CPU's.
template <class T>
void compare(const std::vector<T>& x, std::int64_t rows, std::int64_t columns, Lane& lane) {
  ASSERT_EQ(static_cast<std::int64_t>(x.size()), rows * columns);
  const DeviceMemory<T> there{std::span(x)}, out(rows * columns);
  std::vector<T> expected(x.size()), results(x.size());
  const ArrayView from_host(x.data(), {rows, columns}), from_device(there.data(), {rows, columns});
  for (const std::int64_t axis : {0, 1})
    for (const bool exclusive : {false, true}) {
      const AxisScanCall call{static_cast<std::size_t>(axis), exclusive, foldline::Scalar(1), {}};
      axes_cases::scan_axis(from_host, MutableArrayView(expected.data(), {rows, columns}), call, {});
      for (const bool queued : {false, true}) {
        const MutableArrayView target(out.data(), {rows, columns});
        set_bytes(out.data(), 0xff, expected.size() * sizeof(T));
        check(cudaDeviceSynchronize());
        ASSERT_TRUE(queued ? scan_queued(from_device, target, call, lane)
                           : axes_cases::scan_axis(from_device, target, call, on_gpu));
        check(cudaMemcpy(results.data(), out.data(), results.size() * sizeof(T), cudaMemcpyDeviceToHost));
        ASSERT_EQ(std::memcmp(results.data(), expected.data(), results.size() * sizeof(T)), 0)
            << rows << " x " << columns << " along " << axis << (exclusive ? ", exclusive" : "")
            << (queued ? ", queued" : "");
      }
    }
}

// Vectors in one part and in several, of which sums need more than two doubles now and then.
TEST_F(CudaScanAxis, Shapes) {
  Lane lane;
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{1, 3000},  {3000, 1},   {2, 100'000}, {3, 77'777},
                                                          {64, 5000}, {1000, 300}, {20'000, 33}, {130'000, 4},
                                                          {31, 33},   {257, 1025}};
  for (const auto& [rows, columns] : shapes) {
    auto x = normal_deviates(rows * columns, 5);
    compare(x, rows, columns, lane);
    compare(std::vector<float>(x.begin(), x.end()), rows, columns, lane);
    std::vector<std::int64_t> integers;
    for (const double value : x) integers.push_back(static_cast<std::int64_t>(value * 1e9));
    compare(integers, rows, columns, lane);
    for (std::size_t i = 0; i < x.size(); i += 1 + i % 37)
      x[i] = std::ldexp(x[i], static_cast<int>(i * 7919 % 1800) - 900);
    compare(x, rows, columns, lane);
    x[x.size() / 2] = INFINITY;
    x[x.size() / 3] = -INFINITY;
    compare(x, rows, columns, lane);
    compare(std::vector<double>(x.size(), -0.0), rows, columns, lane);
    compare(std::vector<double>(x.size(), 1e308), rows, columns, lane);
  }
}

template <class T>
std::vector<T> as(const std::vector<double>& x) {
  std::vector<T> result;
  for (const double value : x) {
    if constexpr (std::is_integral_v<T>)
      result.push_back(static_cast<T>(std::llround(value)));
    else
      result.push_back(static_cast<T>(static_cast<float>(value)));
  }
  return result;
}

// Rows that teams of warps scan: about as long as what a lane, a warp or a block takes at a time, few and
// many.
TEST_F(CudaScanAxis, Rows) {
  Lane lane;
  const std::pair<std::int64_t, std::int64_t> shapes[] = {
      {3, 127},    {3, 128},    {5, 129},    {7, 255},   {3, 256},   {5, 257},  {2, 511},
      {3, 513},    {2, 1023},   {2, 1024},   {3, 1025},  {5, 2047},  {4, 8191}, {600, 1025},
      {2300, 300}, {2200, 128}, {40, 20001}, {9, 50000}, {2, 300000}};
  for (const auto& [rows, columns] : shapes) {
    auto x = normal_deviates(rows * columns, 6);
    compare(x, rows, columns, lane);
    compare(as<float>(x), rows, columns, lane);
    compare(as<foldline::half>(x), rows, columns, lane);
    compare(as<foldline::bfloat16>(x), rows, columns, lane);
    std::vector<double> steps;  // their sums along either axis fit any type of integers
    for (std::int64_t i = 0; i < rows * columns; ++i)
      steps.push_back((i / columns + i % columns) % 2 == 0 ? 1 : -1);
    compare(as<std::int8_t>(steps), rows, columns, lane);
    compare(as<std::int16_t>(steps), rows, columns, lane);
    compare(as<std::int32_t>(x), rows, columns, lane);
    compare(as<std::int64_t>(x), rows, columns, lane);
    // What a double does not hold, then what two do not, and back.
    auto wide = as<float>(x);
    for (std::size_t i = 7; i < wide.size(); i += 1500) wide[i] = std::ldexp(wide[i], -90);
    compare(wide, rows, columns, lane);
    for (std::size_t i = 9; i < x.size(); i += 900) x[i] = std::ldexp(x[i], -300);
    compare(x, rows, columns, lane);
    x[x.size() / 2] = -INFINITY;
    x[x.size() - 3] = NAN;
    compare(x, rows, columns, lane);
  }
}

// Every sum from the first element on is held by what a lane counts in, but not that of the third and fourth
// lane.
TEST_F(CudaScanAxis, OrdersThatLoseDigits) {
  Lane lane;
  const auto compare_rows = [&](auto small, std::int64_t rows) {
    const std::int64_t columns = 1200;
    std::vector<decltype(small)> x(static_cast<std::size_t>(rows * columns), 0);
    for (std::size_t first = 0; first < x.size(); first += static_cast<std::size_t>(columns / 2)) {
      x[first] = -1;
      x[first + 16] = 1;
      x[first + 17] = small;
      x[first + 24] = small * small;
      x[first + 40] = -small;
    }
    compare(x, rows, columns, lane);
  };
  for (const std::int64_t rows : {1, 3, 700, 2500}) {
    compare_rows(0x1p-60, rows);
    compare_rows(0x1p-40f, rows);
  }
}

TEST_F(CudaScanAxis, AResultOfALongRowThatDoesNotFitIsNamed) {
  Lane lane;
  for (const std::int64_t rows : {2, 600, 2200}) {
    const std::int64_t columns = 5000;
    std::vector<std::int32_t> x(static_cast<std::size_t>(rows * columns), 0);
    x[0] = INT32_MAX;
    x[4321] = 1;  // too much from there on
    x[static_cast<std::size_t>(columns)] = INT32_MIN;
    x[static_cast<std::size_t>(columns + 1234)] = -1;
    x[static_cast<std::size_t>(columns + 1235)] = 1;  // only there
    const DeviceMemory<std::int32_t> there{std::span(x)}, out(rows * columns);
    const ArrayView view(there.data(), {rows, columns});
    async::inclusive_scan_axis(view, 1, MutableArrayView(out.data(), {rows, columns}), lane.queue());
    EXPECT_EQ(lane.take_status(), -1 - 1234) << rows;
    const DeviceMemory<std::int64_t> wide(rows * columns);
    async::inclusive_scan_axis(view, 1, MutableArrayView(wide.data(), {rows, columns}), lane.queue());
    EXPECT_EQ(lane.take_status(), 0) << rows;
    std::vector<std::int64_t> results(x.size());
    check(cudaMemcpy(results.data(), wide.data(), x.size() * 8, cudaMemcpyDeviceToHost));
    EXPECT_EQ(results[4320], INT32_MAX);
    EXPECT_EQ(results[4999], std::int64_t{INT32_MAX} + 1);
    EXPECT_EQ(results[6234], std::int64_t{INT32_MIN} - 1);
    EXPECT_EQ(results[6235], INT32_MIN);
  }
}

TEST_F(CudaScanAxis, AResultThatDoesNotFitIsNamed) {
  Lane lane;
  std::vector<std::int8_t> x(3000, 0);
  x[2 * 1400 + 1] = 100;
  x[2 * 1410 + 1] = 100;
  const DeviceMemory<std::int8_t> there{std::span(x)}, out(3000);
  const ArrayView view(there.data(), {1500, 2});
  const MutableArrayView target(out.data(), {1500, 2});
  try {
    foldline::inclusive_scan_axis(view, 0, target, on_gpu);
    FAIL() << "200 was taken for an int8";
  } catch (const OverflowError& error) {
    EXPECT_NE(std::string(error.what()).find("inclusive_scan_axis: result 1410 does not fit int8"),
              std::string::npos)
        << error.what();
  }
  async::inclusive_scan_axis(view, 0, target, lane.queue());
  EXPECT_EQ(lane.take_status(), -1 - 1410);
  async::inclusive_scan_axis(view, 0, target, lane.queue(), {.overflow = foldline::Overflow::wrap});
  EXPECT_EQ(lane.take_status(), 0);
}

TEST_F(CudaScanAxis, InAGraph) {
  Lane lane;
  const auto x = normal_deviates(100'000, 8);
  const DeviceMemory<double> there{std::span(x)}, out(100'000);
  const auto work = [&] {
    async::inclusive_scan_axis(ArrayView(there.data(), {100, 1000}), 0,
                               MutableArrayView(out.data(), {100, 1000}), lane.queue());
    async::inclusive_scan_axis(ArrayView(out.data(), {100, 1000}), 1,
                               MutableArrayView(out.data(), {100, 1000}), lane.queue());
  };
  work();
  lane.wait();
  const cudaGraphExec_t graph = captured(lane, work);
  check(cudaMemset(out.data(), 0xff, x.size() * sizeof(double)));
  check(cudaGraphLaunch(graph, lane.stream()));
  lane.wait();
  std::vector<double> expected(x.size()), results(x.size());
  const MutableArrayView view(expected.data(), {100, 1000});
  foldline::inclusive_scan_axis(ArrayView(x.data(), {100, 1000}), 0, view);
  foldline::inclusive_scan_axis(ArrayView(expected.data(), {100, 1000}), 1, view);
  check(cudaMemcpy(results.data(), out.data(), x.size() * sizeof(double), cudaMemcpyDeviceToHost));
  EXPECT_EQ(results, expected);
  check(cudaGraphExecDestroy(graph));
}

TEST_F(CudaScanAxis, SumsThatBeginFarBeyondIntegers) {
  Lane lane;
  const std::vector<std::int64_t> x(2 * 3000, 1);
  const DeviceMemory<std::int64_t> there{std::span(x)}, out(2 * 3000);
  const ArrayView a(there.data(), {2, 3000});
  const MutableArrayView target(out.data(), {2, 3000});
  for (const double init : {0x1p126, 0x1p127, 0x1p128, -0x1p128, 0x1p1000})
    for (const std::size_t axis : {0, 1}) {
      const foldline::Scalar from(init);
      EXPECT_FALSE(scan_queued(a, target, {axis, true, from, foldline::Overflow::error}, lane)) << init;
      EXPECT_FALSE(axes_cases::scan_axis(a, target, {axis, true, from, foldline::Overflow::error}, on_gpu));
      EXPECT_TRUE(scan_queued(a, target, {axis, true, from, foldline::Overflow::wrap}, lane)) << init;
      std::vector<std::int64_t> results(x.size());
      check(cudaMemcpy(results.data(), out.data(), 8 * results.size(), cudaMemcpyDeviceToHost));
      EXPECT_EQ(results.front(), 0);
      EXPECT_EQ(results.back(), axis == 0 ? 1 : 2999);
    }
}

}  // namespace
