// Scans on a GPU of more elements than 32 bits count.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "oracle.hpp"
#include "scan_fixture.hpp"

namespace {

using cases::ElementType;
using cuda_test::check;
using cuda_test::CudaScan;
using cuda_test::DeviceMemory;
using cuda_test::on_gpu;
using cuda_test::set_bytes;
using foldline::Device;
using foldline::MutableVectorView;
using foldline::Overflow;
using foldline::VectorView;

/// Elements of device memory around `place`.
template <class T>
std::vector<T> neighbours(const T* data, std::int64_t place, std::int64_t size) {
  const std::int64_t first = std::max<std::int64_t>(place - 5000, 0), last = std::min(place + 5000, size);
  std::vector<T> result(static_cast<std::size_t>(last - first));
  check(cudaMemcpy(result.data(), data + first, result.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return result;
}

TEST_F(CudaScan, MoreThan2To32Elements) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  constexpr std::int64_t size = (std::int64_t{1} << 32) + 3;
  if (free < static_cast<std::size_t>(size) * 6 + (std::size_t{1} << 30))
    GTEST_SKIP() << "needs 25 GiB of the device's memory";
  const DeviceMemory<std::uint8_t> x(2 * size);
  const DeviceMemory<std::uint32_t> out(size);
  set_bytes(x.data(), 1, static_cast<std::size_t>(2 * size));
  constexpr std::int64_t billion = std::int64_t{1} << 31;

  // Bytes to integers of 32 bits: the first overflow is far in.
  std::uint32_t* const narrow = out.data();
  try {
    foldline::inclusive_scan(VectorView(x.data(), size), MutableVectorView(narrow, size), on_gpu);
    ADD_FAILURE() << "no overflow";
  } catch (const foldline::OverflowError& error) {
    EXPECT_NE(std::string(error.what()).find("result 4294967295 does not fit"), std::string::npos)
        << error.what();
  }
  for (const std::int64_t place : {std::int64_t{0}, billion, 2 * billion, size}) {
    const auto sums = neighbours(narrow, place, size);
    const std::int64_t first = std::max<std::int64_t>(place - 5000, 0);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_EQ(sums[i], static_cast<std::uint32_t>(first + static_cast<std::int64_t>(i) + 1));
  }

  // The bytes 01 01 are the half 257 * 2^-24.
  const VectorView halves(x.data(), ElementType::half, size);
  const MutableVectorView in_place(x.data(), ElementType::half, size);
  foldline::inclusive_scan(halves, in_place, on_gpu);
  for (const std::int64_t place : {std::int64_t{0}, billion, 2 * billion, size}) {
    const auto sums = neighbours(reinterpret_cast<const std::uint16_t*>(x.data()), place, size);
    const std::int64_t first = std::max<std::int64_t>(place - 5000, 0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const mpz_class units = mpz_class(std::to_string(first + static_cast<std::int64_t>(i) + 1)) * 257;
      ASSERT_EQ(sums[i], oracle::round(false, units, -24, false, ElementType::half));
    }
  }
}

// More than one launch of a pipeline, too.
TEST_F(CudaScan, MoreThan2To32ElementsInAPipeline) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  constexpr std::int64_t size = (std::int64_t{1} << 32) + 3;
  if (free < static_cast<std::size_t>(size) * 4 + (std::size_t{1} << 30))
    GTEST_SKIP() << "needs 17 GiB of the device's memory";
  const DeviceMemory<std::uint32_t> x(size);
  const MutableVectorView view(x.data(), size);
  const auto places = {std::int64_t{0}, std::int64_t{1} << 30, std::int64_t{1} << 31, size};
  set_bytes(x.data(), 1, static_cast<std::size_t>(size) * 4);
  foldline::inclusive_scan(view, view, {.overflow = Overflow::wrap, .execution = {.device = Device::cuda()}});
  for (const std::int64_t place : places) {
    const auto sums = neighbours(x.data(), place, size);
    const std::int64_t first = std::max<std::int64_t>(place - 5000, 0);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_EQ(sums[i], static_cast<std::uint32_t>((first + static_cast<std::int64_t>(i) + 1) * 0x01010101));
  }
  // The bytes 3f 3f 3f 3f are a float of 24 bits.
  set_bytes(x.data(), 0x3f, static_cast<std::size_t>(size) * 4);
  auto* const floats = reinterpret_cast<float*>(x.data());
  const float value = std::bit_cast<float>(0x3f3f3f3fu);
  foldline::inclusive_scan(VectorView(floats, size), MutableVectorView(floats, size), on_gpu);
  for (const std::int64_t place : places) {
    const auto sums = neighbours(floats, place, size);
    const std::int64_t first = std::max<std::int64_t>(place - 5000, 0);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const mpz_class units = mpz_class(std::to_string(first + static_cast<std::int64_t>(i) + 1)) *
                              static_cast<long>(std::ldexp(value, 24));
      ASSERT_EQ(std::bit_cast<std::uint32_t>(sums[i]),
                oracle::round(false, units, -24, false, ElementType::float32));
    }
  }
}

// Where tiles are read twice a launch takes a vector in parts, here a long one and a short one, of which
// blocks have other numbers of tiles. Ties far down hold up those that begin, while others go on to the next
// part.
TEST_F(CudaScan, PartsOfDifferentLengths) {
  constexpr std::int64_t size = 63'400'000;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < static_cast<std::size_t>(size) * 2 * sizeof(double) + (std::size_t{1} << 30))
    GTEST_SKIP() << "needs 2 GiB of the device's memory";
  std::vector<double> x(static_cast<std::size_t>(size)), expected(x.size()), actual(x.size());
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t place = i % 8;
    const double tie = std::ldexp(1, -53 - 240 * static_cast<int>(std::min(place, 7 - place)));
    x[static_cast<std::size_t>(i)] = i == 0        ? 1.0
                                     : i < 160'000 ? (place < 4 ? tie : -tie)
                                                   : static_cast<double>(i % 9);
  }
  foldline::inclusive_scan(x, expected);
  const DeviceMemory<double> there{std::span<const double>(x)}, out(size + 1);
  for (int run = 0; run < 5; ++run) {
    set_bytes(out.data(), 0xff, static_cast<std::size_t>(size + 1) * sizeof(double));
    // One place beside x's alignment: not by a pipeline.
    foldline::inclusive_scan(VectorView(there.data(), size), MutableVectorView(out.data() + 1, size), on_gpu);
    check(cudaMemcpy(actual.data(), out.data() + 1, actual.size() * sizeof(double), cudaMemcpyDeviceToHost));
    const auto difference = std::ranges::mismatch(actual, expected);
    ASSERT_EQ(difference.in1 - actual.begin(), size) << "run " << run;
  }
}

}  // namespace
