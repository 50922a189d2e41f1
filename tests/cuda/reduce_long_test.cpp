// Reductions of vectors so long that a block has many tiles of them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "oracle.hpp"
#include "reduce_fixture.hpp"

namespace {

using cuda_test::all_results;
using cuda_test::check;
using cuda_test::CudaReduce;
using cuda_test::DeviceMemory;
using cuda_test::on_gpu;
using cuda_test::Operation;
using cuda_test::set_bytes;
using foldline::ElementType;
using foldline::VectorView;

/// Vectors so long that a warp gives up trying whether tiles fit.
template <class T>
void compare_long_vectors() {
  constexpr std::int64_t size = 10'000'003;
  constexpr int highest = std::numeric_limits<T>::max_exponent - 1;
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  std::mt19937_64 random(6);
  std::vector<T> x(size), y(size);
  const auto compare = [&](const char* what, auto value) {
    for (auto* const vector : {&x, &y})
      for (std::int64_t i = 0; i < size; ++i) (*vector)[static_cast<std::size_t>(i)] = value(i);
    const DeviceMemory<T> device_x{std::span<const T>(x)}, device_y{std::span<const T>(y)};
    EXPECT_EQ(all_results(VectorView(device_x.data(), size), VectorView(device_y.data(), size), on_gpu),
              all_results(x, y, {}))
        << what << ", elements of " << sizeof(T) << " bytes";
  };
  const auto fraction = [&] { return static_cast<T>(static_cast<double>(random()) * 0x1p-63 - 1); };
  const auto any = [&] {
    return std::ldexp(fraction(), lowest + static_cast<int>(random() % (highest - lowest + 1)));
  };
  compare("any exponent", [&](std::int64_t) { return any(); });
  compare("any exponent, every third one zero", [&](std::int64_t i) { return i % 3 == 0 ? T(0) : any(); });
  compare("one in ten is larger", [&](std::int64_t) { return random() % 10 == 0 ? any() : fraction(); });
  compare("subnormal among normal",
          [&](std::int64_t) { return std::ldexp(fraction(), random() % 2 == 0 ? 0 : lowest + 20); });
  compare("any exponent, then all alike",
          [&](std::int64_t i) { return i < size / 2 ? any() : std::ldexp(fraction(), -20); });
  compare("integers of few digits and many",
          [&](std::int64_t) { return static_cast<T>(random() >> (1 + random() % 63)); });
  compare("any exponent, an infinity",
          [&](std::int64_t i) { return i == size / 2 ? std::numeric_limits<T>::infinity() : any(); });
  compare("any exponent, then NaN",
          [&](std::int64_t i) { return i < size / 2 ? any() : std::numeric_limits<T>::quiet_NaN(); });
  // What is added to a word of all ones carries, and then often again.
  const T all_ones = 2 - std::numeric_limits<T>::epsilon();
  constexpr int far_apart[] = {0, 3, highest / 4, lowest / 4};
  compare("all digits are one", [&](std::int64_t i) { return std::ldexp(all_ones, far_apart[i % 7 % 4]); });
  T last = 0;
  compare("any exponent, cancels", [&](std::int64_t i) { return last = i % 2 == 0 ? any() : -last; });
}
TEST_F(CudaReduce, LongVectorsThatNoWindowHolds) {
  compare_long_vectors<double>();
  compare_long_vectors<float>();
}

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

// Blocks that add by limbs look again after 512 tiles, and go back to windows, and from these to limbs.
TEST_F(CudaReduce, WideStretchesOfManyTiles) {
  constexpr std::int64_t tile = 2048;
  const std::int64_t part = tile * 4 * 2 * multiprocessors();
  constexpr int wide_parts = 130, ordinary_parts = 170, parts = wide_parts + ordinary_parts + 100;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < static_cast<std::size_t>(part * (parts + 4)) * sizeof(double))
    GTEST_SKIP() << "needs 7 GB of the device's memory";
  std::mt19937_64 random(9);
  std::vector<double> wide(static_cast<std::size_t>(part));
  for (double& x : wide)  // below 2, so that they and their squares are finite
    x = std::bit_cast<double>(random() & ~(std::uint64_t{1} << 62));
  const std::vector<double> ordinary = cuda_test::normal_deviates(part, 10);
  const DeviceMemory<double> there(part * parts + 1);
  const auto is_ordinary = [&](int i) { return i >= wide_parts && i < wide_parts + ordinary_parts; };
  for (int i = 0; i < parts; ++i)
    check(cudaMemcpy(there.data() + 1 + i * part, is_ordinary(i) ? ordinary.data() : wide.data(),
                     wide.size() * sizeof(double), cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());
  for (const auto operation : {Operation::sum, Operation::abs_sum, Operation::two_norm}) {
    foldline::Accumulator of_wide(operation), of_ordinary(operation), expected(operation);
    of_wide.add(wide);
    of_ordinary.add(ordinary);
    for (int i = 0; i < parts; ++i) expected.merge(is_ordinary(i) ? of_ordinary : of_wide);
    EXPECT_EQ(cases::call(operation, VectorView(there.data() + 1, part * parts), {}, ElementType::float64, 0,
                          on_gpu),
              std::bit_cast<std::uint64_t>(expected.result<double>()))
        << static_cast<int>(operation);
  }
}

// Every thread has so many elements that digits could not take them all if they were not emptied in between:
// all digits are as large as can be and of one sign, and in every batch there is one that no window holds
// beside the others, so all are spilled.
TEST_F(CudaReduce, DigitsOfManyTiles) {
  constexpr std::int64_t tile = 2048, loaded_at_once = 512;
  const std::int64_t size = tile * 450 * 2 * multiprocessors();
  std::vector<double> x(static_cast<std::size_t>(size), 0x1.fffffffffffffp0);
  for (std::int64_t first = 0; first < size; first += tile)
    for (std::int64_t i = first; i < std::min(size, first + loaded_at_once); i += 2)
      x[static_cast<std::size_t>(i)] = 0x1p200;
  const DeviceMemory<double> there{std::span<const double>(x)};
  const VectorView view(there.data(), size);
  EXPECT_EQ(foldline::sum(view, on_gpu), foldline::sum(x));
  EXPECT_EQ(foldline::dot(view, view, on_gpu), foldline::dot(x, x));
  for (std::int64_t first = 0; first < size; first += 2)  // what is large cancels, so that all digits count
    if (double& value = x[static_cast<std::size_t>(first)]; value == 0x1p200 && first / tile % 2 == 1)
      value = -value;
  check(cudaMemcpy(there.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice));
  EXPECT_EQ(foldline::sum(view, on_gpu), foldline::sum(x));
}

TEST_F(CudaReduce, IntegersOfManyTiles) {
  constexpr std::int64_t tile = 6144;
  const std::int64_t many = tile * 16 * 3 * multiprocessors();
  std::mt19937_64 random(8);
  std::vector<std::int32_t> x(static_cast<std::size_t>(many + 2 * tile));
  for (std::int32_t& number : x) number = static_cast<std::int32_t>(random());
  const DeviceMemory<std::int32_t> there{std::span<const std::int32_t>(x)};
  std::int64_t sum = 0, first = 0;
  for (const std::int64_t size : {many - tile, many - 1, many, many + 1, many + tile, many + 2 * tile}) {
    while (first < size) sum += x[static_cast<std::size_t>(first++)];
    EXPECT_EQ(foldline::sum<std::int64_t>(VectorView(there.data(), size), on_gpu), sum) << size;
  }
}

TEST_F(CudaReduce, MoreThan2To32Elements) {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  constexpr std::int64_t size = (std::int64_t{1} << 32) + 3;
  if (free < static_cast<std::size_t>(size) * sizeof(double) + (std::size_t{1} << 30))
    GTEST_SKIP() << "needs 33 GiB of the device's memory";
  const DeviceMemory<double> x(size);
  set_bytes(x.data(), 0x3f, static_cast<std::size_t>(size) * sizeof(double));
  const VectorView doubles(x.data(), size);
  const double value = std::bit_cast<double>(0x3f3f3f3f3f3f3f3fu);
  oracle::BigIntegers one;
  one.load(std::vector<double>{value});
  const mpz_class sum = one.sum() * mpz_class(std::to_string(size));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(foldline::sum(doubles, on_gpu)),
            oracle::round(false, sum, oracle::BigIntegers::unit, false, ElementType::float64));
  EXPECT_EQ(foldline::mean(doubles, on_gpu), value);
  EXPECT_EQ(foldline::variance(doubles, {}, on_gpu), 0);
  const VectorView bytes(x.data(), ElementType::uint8, size);
  EXPECT_EQ(foldline::sum<std::int64_t>(bytes, on_gpu), 0x3f * size);
  // Not multiples of a word, and with an odd stride.
  const VectorView floats(reinterpret_cast<const std::byte*>(x.data()) + 1, ElementType::half, size, 3);
  EXPECT_EQ(foldline::mean<double>(floats, on_gpu),
            static_cast<double>(static_cast<float>(foldline::half::from_bits(0x3f3f))));
}

}  // namespace
