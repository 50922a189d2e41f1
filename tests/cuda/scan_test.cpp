// Scans on a GPU: the bits of the oracle, or those of the CPU, whose are the oracle's.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "device_memory.hpp"
#include "integer_cases.hpp"
#include "scan_cases.hpp"

namespace {

using cases::Context;
using cases::ElementType;
using cases::OutputLayout;
using cuda_test::check;
using cuda_test::DeviceMemory;
using foldline::Device;
using foldline::MutableVectorView;
using foldline::Overflow;
using foldline::RunningScan;
using foldline::Scalar;
using foldline::ScanKind;
using foldline::VectorView;
using Words = std::vector<std::uint64_t>;

const Context on_gpu{.device = Device::cuda()};

class CudaScan : public testing::Test {
 protected:
  void SetUp() override {
    if (foldline::gpus().empty()) GTEST_SKIP() << foldline::why_no_gpu();
  }
  void TearDown() override { cases::run_on({}); }
};

std::uint64_t random_cases() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text == nullptr ? 6000 : std::strtoull(text, nullptr, 10) / 2;
}

/// How a vector is scanned.
struct Layouts {
  std::int64_t stride = 1, misalignment = 0, out_stride = 1, out_misalignment = 0;
};

/// The bits of a scan's results, or what was wrong with it, as text.
struct Outcome {
  Words results;
  std::string error;
};

Outcome scan(const cases::Layout& x, ElementType result, bool exclusive, const Scalar& init,
             const Layouts& layouts, const Context& context) {
  OutputLayout out(x.view().size(), result, layouts.out_stride, layouts.out_misalignment);
  const MutableVectorView target = out.view(context.device);
  Outcome outcome;
  try {
    if (exclusive)
      foldline::exclusive_scan(x.view(context.device), target, init, context);
    else
      foldline::inclusive_scan(x.view(context.device), target, context);
  } catch (const foldline::OverflowError& error) {
    outcome.error = error.what();
    return outcome;
  }
  out.fetch();
  EXPECT_TRUE(out.padding_is_untouched());
  outcome.results = out.results();
  return outcome;
}

/// Compares the GPU's results with the CPU's, of a scan of either kind.
void compare(const cases::Layout& x, ElementType result, const Layouts& layouts = {},
             Overflow overflow = Overflow::error) {
  const Scalar init = is_floating(result) ? Scalar(0.25) : Scalar(std::int64_t{3});
  for (const bool exclusive : {false, true}) {
    const Context cpu{.threads = 1, .overflow = overflow};
    const Context gpu{.overflow = overflow, .device = Device::cuda()};
    const Outcome expected = scan(x, result, exclusive, init, layouts, cpu);
    const Outcome actual = scan(x, result, exclusive, init, layouts, gpu);
    ASSERT_EQ(actual.error, expected.error);
    ASSERT_EQ(cases::difference(actual.results, expected.results), "")
        << name_of(x.view().type()) << " to " << name_of(result) << (exclusive ? " exclusive" : " inclusive")
        << " size " << x.view().size();
  }
}

/// Random elements of any type: small integers, or normal deviates of few digits.
Words random_elements(ElementType type, std::int64_t size, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Words words(static_cast<std::size_t>(size));
  for (std::uint64_t& word : words)
    word = is_floating(type) ? oracle::encode(std::round(normal(random) * 16) / 16, type)
                             : random() % (type == ElementType::boolean ? 2 : 3);
  return words;
}

TEST_F(CudaScan, RandomCasesAgainstTheOracle) {
  cases::run_on(Device::cuda());
  std::string failure;
  for (std::uint64_t seed = 1; seed <= random_cases(); ++seed)
    ASSERT_TRUE(cases::check_random_scan_case(seed, failure)) << failure;
}

TEST_F(CudaScan, RandomIntegersAgainstTheOracle) {
  cases::run_on(Device::cuda());
  for (std::uint64_t seed = 1; seed <= random_cases(); ++seed)
    ASSERT_EQ(integer_cases::check_random_scan(seed), "");
}

// A warp has 32 threads, a tile 2048 elements or more, and a launch takes at most 2^22 elements if its tiles
// are read twice.
TEST_F(CudaScan, SizesAroundWarpsTilesAndLaunches) {
  std::mt19937_64 random(1);
  for (const ElementType type : {ElementType::float64, ElementType::float32, ElementType::half,
                                 ElementType::int32, ElementType::int64, ElementType::uint8}) {
    const Words elements = random_elements(type, (1 << 22) + 5000, random);
    const ElementType result = type == ElementType::uint8 ? ElementType::int64 : type;
    for (const std::int64_t at : {0, 2, 16, 32, 512, 2048, 4096, 7168, 8960, 35 * 8960, 132 * 8960, 1 << 21,
                                  1 << 22, (1 << 22) + 4096})
      for (const std::int64_t size : {at - 1, at, at + 1}) {
        if (size < 0) continue;
        const auto x =
            cases::Layout::of_words(std::span(elements).first(static_cast<std::size_t>(size)), type);
        ASSERT_NO_FATAL_FAILURE(compare(x, result)) << size;
      }
  }
}

TEST_F(CudaScan, EveryTypeStrideAndAlignment) {
  std::mt19937_64 random(2);
  for (const ElementType type : integer_cases::all_types)
    for (std::int64_t misalignment = 0; misalignment <= 16; ++misalignment)
      for (const std::int64_t stride : {1, -1, 2, -3}) {
        const Words elements = random_elements(type, 5000, random);
        const auto x = cases::Layout::of_words(elements, type, stride, misalignment);
        const ElementType result = size_of(type) < 4 ? ElementType::int64 : type;
        ASSERT_NO_FATAL_FAILURE(compare(x, result, {stride, misalignment, stride, misalignment}));
        ASSERT_NO_FATAL_FAILURE(compare(x, result, {stride, misalignment, 1, misalignment / 2}));
      }
  for (const ElementType type : oracle::all_types)
    for (std::int64_t misalignment = 0; misalignment <= 16; ++misalignment)
      for (const std::int64_t stride : {1, -1, 2, -3}) {
        const Words elements = random_elements(type, 5000, random);
        const auto x = cases::Layout::of_words(elements, type, stride, misalignment);
        ASSERT_NO_FATAL_FAILURE(compare(x, type, {stride, misalignment, stride, misalignment}));
        ASSERT_NO_FATAL_FAILURE(compare(x, type, {stride, misalignment, 1, misalignment / 2}));
      }
}

/// Scans `size` values of either type on both processors, out of place and in place.
template <class T>
void compare_values(std::vector<double> values, const std::string& what) {
  const std::vector<T> x(values.begin(), values.end());
  const auto size = static_cast<std::int64_t>(x.size());
  std::vector<T> expected(x.size()), actual(x.size());
  foldline::inclusive_scan(x, expected);
  const DeviceMemory<T> device_x{std::span(x)}, device_out(size);
  check(cudaMemset(device_out.data(), 0xff, x.size() * sizeof(T)));
  foldline::inclusive_scan(VectorView(device_x.data(), size), MutableVectorView(device_out.data(), size),
                           on_gpu);
  check(cudaMemcpy(actual.data(), device_out.data(), x.size() * sizeof(T), cudaMemcpyDeviceToHost));
  const auto first_difference = [&] {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::memcmp(&actual[i], &expected[i], sizeof(T)) != 0) return static_cast<std::int64_t>(i);
    return std::int64_t{-1};
  };
  ASSERT_EQ(first_difference(), -1) << what;
  foldline::inclusive_scan(VectorView(device_x.data(), size), MutableVectorView(device_x.data(), size),
                           on_gpu);
  check(cudaMemcpy(actual.data(), device_x.data(), x.size() * sizeof(T), cudaMemcpyDeviceToHost));
  ASSERT_EQ(first_difference(), -1) << what << ", in place";
}

// Every way that data can fail to fit a window, and windows that have to move.
TEST_F(CudaScan, DataOfEveryRange) {
  constexpr std::int64_t size = 1'500'003;
  std::mt19937_64 random(3);
  const auto compare_all = [&](const std::string& what, auto value_at, bool as_float = true) {
    std::vector<double> x(size);
    for (std::int64_t i = 0; i < size; ++i) x[static_cast<std::size_t>(i)] = value_at(i);
    ASSERT_NO_FATAL_FAILURE(compare_values<double>(x, what));
    if (as_float) {
      ASSERT_NO_FATAL_FAILURE(compare_values<float>(x, what + " as float"));
    }
  };
  std::uniform_real_distribution<double> uniform(0, 1), around(-1, 1);
  std::normal_distribution<double> normal;
  const auto with_exponent = [&](auto exponent_of) {
    return [&, exponent_of](std::int64_t i) { return std::ldexp(around(random), exponent_of(i)); };
  };
  compare_all("uniform", [&](std::int64_t) { return uniform(random); });
  compare_all("normal", [&](std::int64_t) { return normal(random); });
  compare_all("121 binades",
              with_exponent([&](std::int64_t) { return static_cast<int>(random() % 121) - 60; }));
  compare_all("any exponent",
              with_exponent([&](std::int64_t) { return static_cast<int>(random() % 2045) - 1022; }));
  compare_all("ascending",
              with_exponent([](std::int64_t i) { return static_cast<int>(i * 2000 / size) - 1000; }));
  compare_all("descending",
              with_exponent([](std::int64_t i) { return 1000 - static_cast<int>(i * 2000 / size); }));
  compare_all("subnormal", with_exponent([](std::int64_t) { return -1060; }), false);
  compare_all("subnormal floats", with_exponent([](std::int64_t) { return -140; }));
  compare_all("next to overflow", with_exponent([](std::int64_t) { return 1023; }), false);
  compare_all("floats next to overflow", with_exponent([](std::int64_t) { return 127; }));
  compare_all("one in a million is larger",
              with_exponent([](std::int64_t i) { return i % 1'000'000 == 700'000 ? 300 : 0; }));
  compare_all("one in a hundred is larger",
              with_exponent([](std::int64_t i) { return i % 100 == 7 ? 100 : 0; }));
  compare_all("one in a hundred is smaller",
              with_exponent([](std::int64_t i) { return i % 100 == 7 ? -300 : 0; }), false);
  compare_all("cancelling", [&, last = 0.0](std::int64_t i) mutable {
    last = i % 2 == 0 ? std::ldexp(around(random), static_cast<int>(random() % 40)) : -last * (1 + 0x1p-30);
    return last;
  });
  // Halfway between two results, or next to it: far below what two parts of a sum hold.
  for (const double half_place : {0x1p-53, 0x1p-24})
    for (const double tiny : {0x1p-100, 0x1p-140})
      compare_all("near-ties", [&](std::int64_t i) {
        const double sign = random() % 2 == 0 ? 1 : -1;
        const double x[] = {1, half_place, sign * tiny, 0, -sign * tiny, -half_place, -1, 0};
        return x[i % 8] == -0.0 ? 0.0 : x[i % 8];
      });
  compare_all("an infinity", [&](std::int64_t i) { return i == 777'777 ? INFINITY : normal(random); });
  compare_all("two infinities", [&](std::int64_t i) {
    return i == 777'777 ? INFINITY : i == 1'234'567 ? -INFINITY : normal(random);
  });
  compare_all("NaN", [&](std::int64_t i) { return i == 1'000 ? NAN : normal(random); });
  compare_all("-0 at first",
              [&](std::int64_t i) { return i < 1'000'000 ? -0.0 : static_cast<double>(i % 3 - 1); });
  compare_all("-0", [](std::int64_t) { return -0.0; });
  compare_all("0", [](std::int64_t) { return 0.0; });
}

TEST_F(CudaScan, TiesAtEveryElement) {
  generators::Random random(4);
  for (const ElementType type : oracle::all_types)
    for (const ElementType result : oracle::all_types)
      for (int round = 0; round < 4; ++round) {
        const cases::Layout x(cases::ties_everywhere(type, result, 30'000, random), type);
        ASSERT_NO_FATAL_FAILURE(compare(x, result));
      }
}

TEST_F(CudaScan, OverflowIsFoundWhereItIs) {
  std::mt19937_64 random(5);
  for (const ElementType type : integer_cases::all_types)
    for (const ElementType result : integer_cases::all_types)
      for (const std::int64_t size : {100, 3'000, 40'000, 300'000}) {
        Words elements(static_cast<std::size_t>(size));
        const bool wide = random() % 2 == 0;
        for (std::uint64_t& element : elements)
          element = (wide || random() % 1000 == 0 ? random() : random() % 2) &
                    (type == ElementType::boolean ? 1 : ~std::uint64_t{0});
        const auto x = cases::Layout::of_words(elements, type);
        ASSERT_NO_FATAL_FAILURE(compare(x, result));
        ASSERT_NO_FATAL_FAILURE(compare(x, result, {}, Overflow::wrap));
      }
}

// One element that is too large, anywhere in a long vector of small ones.
TEST_F(CudaScan, OneOverflowInAMillion) {
  constexpr std::int64_t size = 3'000'000;
  std::mt19937_64 random(6);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::int32_t> x(size);
    for (std::int32_t& element : x) element = static_cast<std::int32_t>(random() % 201) - 100;
    x[random() % size] = random() % 2 == 0 ? INT32_MAX : INT32_MIN;
    x[random() % size] = random() % 2 == 0 ? INT32_MAX : INT32_MIN;
    std::vector<std::int64_t> wide(x.begin(), x.end());
    for (std::int64_t& element : wide) element *= std::int64_t{1} << 32;
    Words words(x.begin(), x.end());
    ASSERT_NO_FATAL_FAILURE(compare(cases::Layout::of_words(words, ElementType::int32), ElementType::int32));
    words.assign(wide.begin(), wide.end());
    ASSERT_NO_FATAL_FAILURE(compare(cases::Layout::of_words(words, ElementType::int64), ElementType::int64));
    ASSERT_NO_FATAL_FAILURE(
        compare(cases::Layout::of_words(words, ElementType::int64), ElementType::int64, {}, Overflow::wrap));
  }
}

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
      foldline::inclusive_scan(x, expected, {.threads = 1});
      const DeviceMemory<double> device_x{size}, device_out{size};
      cudaStream_t stream = nullptr;
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int i = 0; i < 30; ++i) {
        // Queued in the stream, the copy is there before the scan begins.
        check(cudaMemcpyAsync(device_x.data(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice,
                              stream));
        foldline::inclusive_scan(VectorView(device_x.data(), size),
                                 MutableVectorView(device_out.data(), size),
                                 {.device = Device::cuda(), .stream = stream});
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
  for (const foldline::Accuracy accuracy : {foldline::Accuracy::exact, foldline::Accuracy::fast})
    for (int i = 0; i < 100; ++i) {
      foldline::inclusive_scan(VectorView(device_x.data(), size), MutableVectorView(device_out.data(), size),
                               {.accuracy = accuracy, .device = Device::cuda()});
      check(cudaMemcpy(out.data(), device_out.data(), size * sizeof(float), cudaMemcpyDeviceToHost));
      ASSERT_EQ(std::memcmp(out.data(), expected.data(), size * sizeof(float)), 0);
    }
}

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
  check(cudaMemset(x.data(), 1, static_cast<std::size_t>(2 * size)));
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
  check(cudaMemset(x.data(), 1, static_cast<std::size_t>(size) * 4));
  foldline::inclusive_scan(view, view, {.overflow = Overflow::wrap, .device = Device::cuda()});
  for (const std::int64_t place : places) {
    const auto sums = neighbours(x.data(), place, size);
    const std::int64_t first = std::max<std::int64_t>(place - 5000, 0);
    for (std::size_t i = 0; i < sums.size(); ++i)
      ASSERT_EQ(sums[i], static_cast<std::uint32_t>((first + static_cast<std::int64_t>(i) + 1) * 0x01010101));
  }
  // The bytes 3f 3f 3f 3f are a float of 24 bits.
  check(cudaMemset(x.data(), 0x3f, static_cast<std::size_t>(size) * 4));
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

TEST_F(CudaScan, Refusals) {
  std::vector<double> x(10, 1.0), out(10);
  EXPECT_THROW(foldline::inclusive_scan(x, out, {.device = Device::cuda(999)}), foldline::InvalidArgument);
  const DeviceMemory<double> device_x{std::span<const double>(x)};
  EXPECT_THROW(foldline::inclusive_scan(VectorView(device_x.data(), 10), out, on_gpu),
               foldline::InvalidArgument);
  EXPECT_THROW(foldline::inclusive_scan(x, MutableVectorView(device_x.data(), 10), on_gpu),
               foldline::InvalidArgument);
  const foldline::ArrayView row(x.data(), {1, 10});
  EXPECT_THROW(foldline::inclusive_scan_axis(row, 1, foldline::MutableArrayView(out.data(), {1, 10}), on_gpu),
               foldline::InvalidArgument);
  foldline::inclusive_scan(x, out, on_gpu);
  EXPECT_EQ(out.back(), 10) << "the next call works";
}

}  // namespace
