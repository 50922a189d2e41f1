// Scans on a GPU: where the data is, streams and threads, block by block, again and again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "scan_fixture.hpp"

namespace {

using cases::Context;
using cuda_test::check;
using cuda_test::CudaScan;
using cuda_test::DeviceMemory;
using cuda_test::on_gpu;
using cuda_test::set_bytes;
using foldline::Device;
using foldline::MutableVectorView;
using foldline::RunningScan;
using foldline::ScanKind;
using foldline::VectorView;

TEST_F(CudaScan, WhereTheDataIs) {
  constexpr std::int64_t size = 3'000'000;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> x(size), expected(size), out(size, NAN);
  for (double& value : x) value = normal(random);
  foldline::inclusive_scan(x, expected);
  foldline::inclusive_scan(x, out, on_gpu);
  EXPECT_EQ(out, expected) << "pageable memory, several pieces";
  out = x;
  foldline::inclusive_scan(out, out, on_gpu);
  EXPECT_EQ(out, expected) << "in place";
  std::vector<float> floats(2 * size, NAN), expected_floats(2 * size, NAN);
  const VectorView backwards(x.data() + size - 1, size, -1);
  foldline::exclusive_scan(backwards, MutableVectorView(floats.data(), size, 2), 3.5, on_gpu);
  foldline::exclusive_scan(backwards, MutableVectorView(expected_floats.data(), size, 2), 3.5);
  EXPECT_EQ(std::memcmp(floats.data(), expected_floats.data(), floats.size() * sizeof(float)), 0)
      << "strided";

  double* memory = nullptr;
  const auto scan_in = [&](const char* what) {
    std::copy(x.begin(), x.end(), memory);
    foldline::inclusive_scan(VectorView(memory, size), MutableVectorView(memory, size), on_gpu);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), memory)) << what;
  };
  check(cudaMallocHost(reinterpret_cast<void**>(&memory), size * sizeof(double)));
  scan_in("pinned");
  check(cudaFreeHost(memory));
  check(cudaMallocManaged(reinterpret_cast<void**>(&memory), size * sizeof(double)));
  scan_in("managed");
  check(cudaFree(memory));

  std::vector<std::int32_t> ones(size, 1000);
  EXPECT_THROW(foldline::inclusive_scan(ones, ones, on_gpu), foldline::OverflowError);
}

TEST_F(CudaScan, ARunningScanTakesBlocksFromBoth) {
  constexpr std::int64_t size = 200'000;
  std::mt19937_64 random(8);
  std::normal_distribution<double> normal;
  std::vector<double> x(size), expected(size), out(size);
  for (double& value : x) value = normal(random);
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    RunningScan running(kind, 0.1), reference(kind, 0.1);
    reference.next(x, expected);
    bool gpu = true;
    for (std::int64_t first = 0, count = 1; first < size; first += count, gpu = !gpu) {
      count = std::min<std::int64_t>(2 * count + 13, size - first);
      running.next(VectorView(x).part(first, count), MutableVectorView(out).part(first, count),
                   gpu ? on_gpu : Context{});
    }
    EXPECT_EQ(out, expected);
  }
  std::vector<std::int64_t> counts(1000, INT64_MAX / 600), sums(1000);
  RunningScan running(ScanKind::inclusive);
  running.next(VectorView(counts).part(0, 500), MutableVectorView(sums).part(0, 500), on_gpu);
  EXPECT_THROW(
      running.next(VectorView(counts).part(500, 500), MutableVectorView(sums).part(500, 500), on_gpu),
      foldline::OverflowError);
  running.next(VectorView(counts).part(500, 100), MutableVectorView(sums).part(500, 100), on_gpu);
  EXPECT_EQ(sums[599], 600 * (INT64_MAX / 600)) << "after an error the scan is where it was";
}

TEST_F(CudaScan, StreamsAndThreads) {
  constexpr int jobs = 6;
  std::array<std::thread, jobs> threads;
  std::array<int, jobs> wrong{};
  for (int job = 0; job < jobs; ++job)
    threads[static_cast<std::size_t>(job)] = std::thread([job, &wrong] {
      const std::int64_t size = 300'000 + 1001 * job;
      std::mt19937_64 random(static_cast<unsigned>(job));
      std::normal_distribution<double> normal;
      std::vector<double> x(static_cast<std::size_t>(size)), expected(x.size()), out(x.size());
      for (double& value : x) value = normal(random);
      foldline::inclusive_scan(x, expected, {.execution = {.threads = 1}});
      const DeviceMemory<double> device_x{size}, device_out{size};
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int i = 0; i < 30; ++i) {
        // Queued in the stream, the copy is there before the scan begins.
        check(cudaMemcpyAsync(device_x.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice,
                              stream));
        foldline::inclusive_scan(VectorView(device_x.data(), size),
                                 MutableVectorView(device_out.data(), size),
                                 {.execution = {.device = Device::cuda(), .stream = stream}});
        check(cudaMemcpyAsync(out.data(), device_out.data(), x.size() * sizeof(double),
                              cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        wrong[static_cast<std::size_t>(job)] += out != expected;
      }
      check(cudaStreamDestroy(stream));
    });
  for (std::thread& thread : threads) thread.join();
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

TEST_F(CudaScan, AHundredTimesTheSame) {
  constexpr std::int64_t size = 5'000'003;
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  std::vector<float> x(size), expected(size), out(size);
  for (float& value : x) value = static_cast<float>(normal(random));
  foldline::inclusive_scan(x, expected);
  const DeviceMemory<float> device_x{std::span(x)}, device_out(size);
  for (int i = 0; i < 100; ++i) {
    set_bytes(device_out.data(), 0xff, size * sizeof(float));  // NaN
    foldline::inclusive_scan(VectorView(device_x.data(), size), MutableVectorView(device_out.data(), size),
                             {.execution = {.device = Device::cuda()}});
    check(cudaMemcpy(out.data(), device_out.data(), size * sizeof(float), cudaMemcpyDeviceToHost));
    ASSERT_EQ(std::memcmp(out.data(), expected.data(), size * sizeof(float)), 0);
  }
}

TEST_F(CudaScan, Refusals) {
  std::vector<double> x(10, 1.0), out(10);
  EXPECT_THROW(foldline::inclusive_scan(x, out, {.execution = {.device = Device::cuda(999)}}),
               foldline::InvalidArgument);
  const DeviceMemory<double> device_x{std::span<const double>(x)};
  EXPECT_THROW(foldline::inclusive_scan(VectorView(device_x.data(), 10), out, on_gpu),
               foldline::InvalidArgument);
  EXPECT_THROW(foldline::inclusive_scan(x, MutableVectorView(device_x.data(), 10), on_gpu),
               foldline::InvalidArgument);
  const foldline::ArrayView row(x.data(), {1, 10});
  EXPECT_THROW(
      foldline::inclusive_scan_axis(row, 1, foldline::MutableArrayView(device_x.data(), {1, 10}), on_gpu),
      foldline::InvalidArgument);
  foldline::inclusive_scan(x, out, on_gpu);
  EXPECT_EQ(out.back(), 10) << "the next call works";
}

}  // namespace
