// Reductions on a GPU: the bits of the oracle, or those of the CPU, whose are the oracle's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include "integer_cases.hpp"
#include "reduce_fixture.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::Operation;
using cuda_test::all_results;
using cuda_test::check;
using cuda_test::CudaReduce;
using cuda_test::DeviceMemory;
using cuda_test::normal_floats;
using cuda_test::on_gpu;
using foldline::Device;
using foldline::VectorView;

/// Random data sets for each element type; each serves some ten calls.
int data_sets_per_type() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text == nullptr ? 500 : std::max(1, std::atoi(text) / 20);
}

TEST_F(CudaReduce, RandomCasesAgainstTheOracle) {
  cases::run_on(Device::cuda());
  const int data_sets = data_sets_per_type();
  for (const ElementType type : oracle::all_types)
    for (int seed = 0; seed < data_sets; ++seed) {
      cases::Problem problem(static_cast<std::uint64_t>(seed), type);
      for (const auto& one : problem.cases()) {
        const std::string wrong = problem.check(one);
        ASSERT_TRUE(wrong.empty()) << wrong;
      }
    }
}

TEST_F(CudaReduce, RandomIntegersAgainstTheOracle) {
  cases::run_on(Device::cuda());
  const int data_sets = data_sets_per_type();
  for (const ElementType type : integer_cases::all_types)
    for (int seed = 0; seed < data_sets; ++seed) {
      integer_cases::Problem problem(static_cast<std::uint64_t>(seed), type);
      for (const auto& one : problem.calls()) {
        const std::string wrong = problem.check(one);
        ASSERT_TRUE(wrong.empty()) << wrong;
      }
    }
}

// A warp has 32 threads, a block 256; a launch has at most two blocks a multiprocessor. On an H200, of 132
// multiprocessors with two blocks each: a tile has 2048 doubles, 1024 of each of two vectors and where there
// are several sums, or 512 if there are few to square; and up to four tiles a block the first block
// concludes, beyond the last.
TEST_F(CudaReduce, SizesAroundWarpsBlocksAndTiles) {
  constexpr std::int64_t longest = 4 * 264 * 2048 + 1;
  const auto x = normal_floats(longest, 1), y = normal_floats(longest, 2);
  const DeviceMemory<double> device_x{std::span(x)}, device_y{std::span(y)};
  for (const std::int64_t at :
       {0, 2, 32, 512, 1024, 2048, 8192, 132 * 512, 264 * 1024, 264 * 2048, 4 * 264 * 1024, 4 * 264 * 2048})
    for (const std::int64_t size : {at - 1, at, at + 1}) {
      if (size < 0) continue;
      ASSERT_EQ(all_results(VectorView(device_x.data(), size), VectorView(device_y.data(), size), on_gpu),
                all_results(VectorView(x.data(), size), VectorView(y.data(), size), {}))
          << size;
    }
}

TEST_F(CudaReduce, EveryTypeStrideAndAlignment) {
  const auto values = normal_floats(10'000, 3), others = normal_floats(10'000, 4);
  for (const ElementType type : oracle::all_types)
    for (const std::int64_t stride : {1, -1, 2, -3, 0})
      for (std::int64_t misalignment = 0; misalignment <= 16; ++misalignment) {
        const auto encoded = [&](const std::vector<double>& from, std::int64_t size) {
          std::vector<double> result(from.begin(), from.begin() + size);
          for (double& value : result)
            value = type == ElementType::float64 || type == ElementType::float32
                        ? value
                        : std::round(value * 16) / 16;
          return result;
        };
        for (const std::int64_t size : {5, 700, 9'001}) {
          if (stride == 0 && size > 700) continue;
          const cases::Layout x(encoded(values, size), type, stride, misalignment);
          const cases::Layout y(encoded(others, size), type, stride,
                                misalignment % 3 == 0 ? misalignment : 0);
          ASSERT_EQ(all_results(x.view(Device::cuda()), y.view(Device::cuda()), on_gpu),
                    all_results(x.view(), y.view(), {}))
              << name_of(type) << " stride " << stride << " misaligned by " << misalignment << " size "
              << size;
        }
      }
}

// Every way that data can fail to fit the window that a block opened.
TEST_F(CudaReduce, DataThatNoWindowHolds) {
  constexpr std::int64_t size = 300'000;
  std::mt19937_64 random(5);
  std::vector<double> x(size), y(size);
  const auto compare = [&](const char* what) {
    const DeviceMemory<double> device_x{std::span(x)}, device_y{std::span(y)};
    ASSERT_EQ(all_results(VectorView(device_x.data(), size), VectorView(device_y.data(), size), on_gpu),
              all_results(x, y, {}))
        << what;
  };
  const auto fill = [&](auto exponent_of) {
    for (auto* const vector : {&x, &y})
      for (std::int64_t i = 0; i < size; ++i) {
        const double fraction = std::uniform_real_distribution<double>(-1, 1)(random);
        (*vector)[static_cast<std::size_t>(i)] = std::ldexp(fraction, exponent_of(i));
      }
  };
  fill([&](std::int64_t) { return static_cast<int>(random() % 2045) - 1022; });
  compare("any exponent");
  fill([&](std::int64_t i) { return static_cast<int>(i * 2000 / size) - 1000; });
  compare("ascending");
  fill([&](std::int64_t i) { return 1000 - static_cast<int>(i * 2000 / size); });
  compare("descending");
  fill([&](std::int64_t) { return -1060; });
  compare("subnormal");
  fill([&](std::int64_t) { return 1023; });
  compare("next to overflow");
  fill([&](std::int64_t) { return -540; });
  compare("products that vanish");
  fill([&](std::int64_t i) { return i % 100 == 7 ? 300 : 0; });
  compare("one in a hundred is larger");
  fill([&](std::int64_t i) { return i % 100 == 7 ? -300 : 0; });
  compare("one in a hundred is smaller");
  fill([&](std::int64_t) { return 0; });
  x[1234] = std::numeric_limits<double>::infinity();
  compare("an infinity");
  y[77] = 0;
  x[77] = -std::numeric_limits<double>::infinity();
  compare("infinities");
  std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
  compare("NaN");
  std::fill(x.begin(), x.end(), -0.0);
  compare("-0");
  x.back() = 0.0;
  compare("-0 but the last");
}

/// Products that are alike, of factors that are not: from subnormal numbers, which have few digits, to such
/// as are next to overflow. All of them, or one in `of`; a few products vanish, or are infinite though both
/// factors are finite.
TEST_F(CudaReduce, ProductsOfVeryUnequalFactors) {
  constexpr std::int64_t size = 300'000;
  std::mt19937_64 random(12);
  for (const unsigned of : {1u, 10u, 1000u})
    for (const bool has_extremes : {false, true}) {
      std::vector<double> x(size), y(size);
      const auto number = [&](int exponent) {
        return std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), exponent);
      };
      for (std::size_t i = 0; i < x.size(); ++i) {
        const int exponent = random() % of == 0 ? static_cast<int>(random() % 1024) : 0;
        x[i] = number(exponent);
        y[i] = number(-std::min(1074, exponent + static_cast<int>(random() % 60)));
        if (has_extremes && random() % 5000 == 0) y[i] = number(exponent);
        if (has_extremes && random() % 5000 == 0) x[i] = y[i] = number(-1060);
        if (random() % 2 == 0) std::swap(x[i], y[i]);
      }
      const DeviceMemory<double> device_x{std::span(x)}, device_y{std::span(y)};
      EXPECT_EQ(all_results(VectorView(device_x.data(), size), VectorView(device_y.data(), size), on_gpu),
                all_results(x, y, {}))
          << "one in " << of << (has_extremes ? ", and extremes" : "");
    }
}

/// Numbers of one binade, and a few so far below them that they are in the window, in the level below it, or
/// in neither.
template <class T>
void compare_a_few_small_ones(std::int64_t size, int base) {
  std::mt19937_64 random(8);
  const auto number = [&](int exponent) {
    const double fraction = 0.5 + static_cast<double>(random() >> 1) * 0x1p-64;
    return static_cast<T>(std::ldexp(random() % 2 == 0 ? fraction : -fraction, exponent));
  };
  std::vector<T> x(static_cast<std::size_t>(size)), y(x);
  for (auto* const vector : {&x, &y})
    for (T& element : *vector) element = number(base);
  for (int distance = 14; distance < 160; distance += 1 + distance / 24) {
    for (const std::int64_t place : {size / 7, size / 2, size / 2 + 1, size - 1}) {
      x[static_cast<std::size_t>(place)] = number(base - distance);
      y[static_cast<std::size_t>(size - 1 - place / 2)] = number(base - distance);
    }
    const DeviceMemory<T> device_x{std::span<const T>(x)}, device_y{std::span<const T>(y)};
    ASSERT_EQ(all_results(VectorView(device_x.data(), size), VectorView(device_y.data(), size), on_gpu),
              all_results(x, y, {}))
        << size << " elements of " << sizeof(T) << " bytes, 2^" << base << ", a few 2^-" << distance
        << " of them";
  }
}
TEST_F(CudaReduce, AFewElementsBelowTheWindow) {
  for (const std::int64_t size : {1'001, 40'000, 2'000'003})
    for (const int base : {0, 100, -80}) {
      compare_a_few_small_ones<float>(size, base);
      compare_a_few_small_ones<double>(size, base == 0 ? 0 : 5 * base);
    }
}

TEST_F(CudaReduce, WhereTheDataIs) {
  const auto x = normal_floats(5'000'000, 6);
  const double expected = foldline::sum(x);
  EXPECT_EQ(foldline::sum(x, on_gpu), expected) << "pageable memory, several pieces";
  std::vector<float> floats(x.begin(), x.end());
  const VectorView backwards(floats.data() + 4'999'998, 2'500'000, -2);
  EXPECT_EQ(foldline::sum<double>(backwards, on_gpu), foldline::sum<double>(backwards)) << "strided";
  EXPECT_EQ(foldline::dot(x, x, on_gpu), foldline::dot(x, x));
  double* memory = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(&memory), x.size() * sizeof(double)));
  std::copy(x.begin(), x.end(), memory);
  EXPECT_EQ(foldline::sum(VectorView(memory, 5'000'000), on_gpu), expected) << "pinned";
  check(cudaFreeHost(memory));
  check(cudaMallocManaged(reinterpret_cast<void**>(&memory), x.size() * sizeof(double)));
  std::copy(x.begin(), x.end(), memory);
  EXPECT_EQ(foldline::sum(VectorView(memory, 5'000'000), on_gpu), expected) << "managed";
  check(cudaFree(memory));
}

TEST_F(CudaReduce, AnAccumulatorTakesFromBoth) {
  const auto x = normal_floats(100'000, 7);
  const DeviceMemory<double> device_x{std::span(x)};
  foldline::Accumulator both(Operation::variance);
  both.add(VectorView(device_x.data(), 60'000), on_gpu);
  both.add(VectorView(x.data() + 60'000, 40'000));
  EXPECT_EQ(both.result<double>(Operation::variance), foldline::variance(x));
  foldline::Accumulator cpu(Operation::variance);
  cpu.add(x);
  EXPECT_EQ(both.exact(Operation::variance), cpu.exact(Operation::variance));
}

/// What an accumulator has is the same wherever it was added up, and can be read back: also whether there was
/// anything but -0.
template <class T>
void compare_accumulators() {
  std::vector<T> x(3'000'003), y(x);
  const DeviceMemory<T> device_x{std::span(x)}, device_y{std::span(y)};
  const auto copy = [](const std::vector<T>& from, const DeviceMemory<T>& to) {
    check(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  };
  for (const T ordinary : {T(1), T(0), -T(0)})
    for (const std::int64_t size : {1, 511, 512, 1024, 2048, 2049, 4096, 600'000, 3'000'003})
      for (const T last : {ordinary, T(0), T(2)}) {
        std::fill(x.begin(), x.end(), ordinary);
        std::fill(y.begin(), y.end(), T(1));
        x[static_cast<std::size_t>(size - 1) / 2] = last;
        copy(x, device_x);
        copy(y, device_y);
        for (const Operation operation : oracle::all_operations) {
          foldline::Accumulator gpu(operation), cpu(operation);
          if (operation == Operation::dot || operation == Operation::weighted_mean) {
            gpu.add(VectorView(device_x.data(), size), VectorView(device_y.data(), size), on_gpu);
            cpu.add(VectorView(x.data(), size), VectorView(y.data(), size));
          } else {
            gpu.add(VectorView(device_x.data(), size), on_gpu);
            cpu.add(VectorView(x.data(), size));
          }
          const std::vector<std::byte> bytes = gpu.serialise();
          EXPECT_EQ(bytes, cpu.serialise()) << size << " times " << ordinary << ", once " << last
                                            << ", operation " << static_cast<int>(operation);
          EXPECT_EQ(foldline::Accumulator::deserialise(bytes).serialise(), bytes);
        }
      }
}
TEST_F(CudaReduce, AccumulatorsAreTheSameBytes) {
  compare_accumulators<double>();
  compare_accumulators<float>();
}

TEST_F(CudaReduce, AHundredTimesTheSame) {
  const auto x = normal_floats(2'000'003, 8), y = normal_floats(2'000'003, 9);
  const DeviceMemory<double> device_x{std::span(x)}, device_y{std::span(y)};
  const auto expected = all_results(x, y, {});
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(
        all_results(VectorView(device_x.data(), 2'000'003), VectorView(device_y.data(), 2'000'003), on_gpu),
        expected);
}

TEST_F(CudaReduce, StreamsAndThreads) {
  constexpr int jobs = 6;
  std::array<std::thread, jobs> threads;
  std::array<bool, jobs> right{};
  for (int job = 0; job < jobs; ++job)
    threads[static_cast<std::size_t>(job)] = std::thread([job, &right] {
      const auto x = normal_floats(100'000 + 1000 * job, static_cast<unsigned>(job));
      const DeviceMemory<double> copy{static_cast<std::int64_t>(x.size())};
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      // Queued in the stream, the copy is there before the reduction begins.
      check(
          cudaMemcpyAsync(copy.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice, stream));
      const VectorView view(copy.data(), static_cast<std::int64_t>(x.size()));
      const Context context{.execution = {.device = Device::cuda(), .stream = stream}};
      bool all = true;
      for (int i = 0; i < 50; ++i)
        all = all &&
              foldline::variance<double>(view, {.ddof = 1}, context) == foldline::variance(x, {.ddof = 1});
      right[static_cast<std::size_t>(job)] = all;
      check(cudaStreamDestroy(stream));
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool all : right) EXPECT_TRUE(all);
}

TEST_F(CudaReduce, Refusals) {
  const std::vector<double> x(10, 1.0);
  EXPECT_THROW((void)foldline::sum(x, Context{.execution = {.device = Device::cuda(999)}}),
               foldline::InvalidArgument);
  EXPECT_THROW((void)foldline::sum(x, Context{.execution = {.device = Device::cuda(-1)}}),
               foldline::InvalidArgument);
  const DeviceMemory<double> device_x{std::span(x)};
  EXPECT_THROW((void)foldline::dot(x, VectorView(device_x.data(), 10), on_gpu), foldline::InvalidArgument);
  EXPECT_EQ(foldline::sum(x, on_gpu), 10) << "the next call works";
}

TEST_F(CudaReduce, OutOfMemory) {
  // All of the memory but a little is taken, so that buffers for data of the host cannot be had.
  std::vector<DeviceMemory<std::byte>*> taken;
  const auto release = [&] {
    for (auto* const memory : taken) delete memory;
  };
  for (std::int64_t size = std::int64_t{1} << 36; size >= std::int64_t{1} << 20;) {
    try {
      taken.push_back(new DeviceMemory<std::byte>(size));
    } catch (const std::exception&) {
      size /= 2;
    }
  }
  std::vector<std::thread> threads;  // many at a time, so that the resources of earlier calls do not suffice
  std::atomic<int> wrong = 0;
  const std::vector<double> x(1'000'000, 1.0);
  for (int i = 0; i < 24; ++i)
    threads.emplace_back([&] {
      try {
        if (foldline::sum(x, on_gpu) != 1e6) ++wrong;
      } catch (const foldline::DeviceError&) {
        // as it must, if it cannot be had
      }
    });
  for (std::thread& thread : threads) thread.join();
  release();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(foldline::sum(x, on_gpu), 1e6) << "the next call works";
}

}  // namespace
