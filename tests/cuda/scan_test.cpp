// Scans on a GPU: the bits of the oracle, or those of the CPU, whose are the oracle's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "integer_cases.hpp"
#include "scan_fixture.hpp"

namespace {

using cases::ElementType;
using cuda_test::check;
using cuda_test::compare;
using cuda_test::CudaScan;
using cuda_test::DeviceMemory;
using foldline::Device;
using foldline::MutableVectorView;
using foldline::Overflow;
using Words = std::vector<std::uint64_t>;

std::uint64_t random_cases() {
  const char* text = std::getenv("FOLDLINE_TEST_CASES");
  return text == nullptr ? 6000 : std::strtoull(text, nullptr, 10) / 2;
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

/// Elements of so many bytes of which every multiprocessor takes at most `bytes`.
std::int64_t elements_on_all(std::int64_t bytes, ElementType type) {
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  return bytes / static_cast<std::int64_t>(size_of(type)) * multiprocessors;
}

// A warp has 32 threads; a tile has 2048 elements or more, 3840 if it is read twice and results are
// floating-point numbers, of which a warp takes 480 at a time; a launch for integers whose tiles are read
// twice takes at most 2^22; and few elements are scanned at once in 1 to 16 rounds of 8 KiB on every
// multiprocessor.
TEST_F(CudaScan, SizesAroundWarpsTilesAndLaunches) {
  std::mt19937_64 random(1);
  for (const ElementType type : {ElementType::float64, ElementType::float32, ElementType::half,
                                 ElementType::int32, ElementType::int64, ElementType::uint8}) {
    const Words elements = random_elements(type, 4'500'000, random);
    const ElementType result = type == ElementType::uint8 ? ElementType::int64 : type;
    std::vector<std::int64_t> sizes;
    for (const std::int64_t at : {0, 2, 16, 32, 480, 512, 2048, 3840, 4096, 8 * 3840, 7168, 8960, 35 * 8960,
                                  132 * 8960, 1 << 21, 1 << 22, (1 << 22) + 4096})
      sizes.push_back(at);
    if (size_of(type) >= 4)
      for (const std::int64_t rounds : {1, 2, 4, 8, 16}) sizes.push_back(elements_on_all(rounds << 13, type));
    for (const std::int64_t at : sizes)
      for (const std::int64_t size : {at - 1, at, at + 1}) {
        if (size < 0 || size > static_cast<std::int64_t>(elements.size())) continue;
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
  std::mt19937_64 random(6);
  for (int round = 0; round < 20; ++round) {
    const std::size_t size = round % 2 == 0 ? 3'000'000 : 1'500'000;
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

// Sums that leave the type's range again and again, over the elements, of vectors that are scanned at once
// and of longer ones.
template <class T>
void wrap_in_place(std::int64_t size, std::mt19937_64& random) {
  std::vector<T> x(static_cast<std::size_t>(size)), expected(x.size()), actual(x.size());
  for (T& element : x) element = static_cast<T>(random());
  foldline::inclusive_scan(x, expected, {.overflow = Overflow::wrap});
  const DeviceMemory<T> there{std::span(x)};
  const MutableVectorView view(there.data(), size);
  foldline::inclusive_scan(view, view, {.overflow = Overflow::wrap, .execution = {.device = Device::cuda()}});
  check(cudaMemcpy(actual.data(), there.data(), x.size() * sizeof(T), cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::memcmp(actual.data(), expected.data(), x.size() * sizeof(T)), 0) << size;
}

TEST_F(CudaScan, IntegersWrapInPlace) {
  std::mt19937_64 random(7);
  for (const std::int64_t size : {1'000, 300'001, 1'000'003, 5'000'001}) {
    wrap_in_place<std::int32_t>(size, random);
    wrap_in_place<std::uint32_t>(size, random);
    wrap_in_place<std::int64_t>(size, random);
    wrap_in_place<std::uint64_t>(size, random);
  }
}

}  // namespace
