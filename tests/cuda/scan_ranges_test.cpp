// Scans of data of any range on a GPU: the bits of the CPU, whose are the oracle's.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "scan_fixture.hpp"

namespace {

using cases::ElementType;
using cuda_test::check;
using cuda_test::compare;
using cuda_test::CudaScan;
using cuda_test::DeviceMemory;
using cuda_test::Layouts;
using cuda_test::on_gpu;
using cuda_test::set_bytes;
using foldline::MutableVectorView;
using foldline::Overflow;
using foldline::VectorView;

/// Scans values of either type on both processors, out of place, in place, and after another number; on the
/// GPU they begin so many elements behind the start of memory.
template <class T>
void compare_values(const std::vector<double>& values, const std::string& what, std::int64_t offset = 0) {
  const std::vector<T> x(values.begin(), values.end());
  const auto size = static_cast<std::int64_t>(x.size());
  std::vector<T> expected(x.size()), actual(x.size());
  const DeviceMemory<T> memory_of_x(size + offset), memory_of_out(size + offset);
  T *const device_x = memory_of_x.data() + offset, *const device_out = memory_of_out.data() + offset;
  check(cudaMemcpy(device_x, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  const VectorView input(device_x, size);
  const MutableVectorView out(device_out, size), in_place(device_x, size);
  const auto expect_equal = [&](const T* results, const char* how) {
    check(cudaMemcpy(actual.data(), results, x.size() * sizeof(T), cudaMemcpyDeviceToHost));
    std::int64_t i = 0;
    const auto at = [](const std::vector<T>& vector, std::int64_t place) {
      return &vector[static_cast<std::size_t>(place)];
    };
    while (i < size && std::memcmp(at(actual, i), at(expected, i), sizeof(T)) == 0) ++i;
    ASSERT_EQ(i, size) << what << how << ": the first that differs";
  };
  set_bytes(device_out, 0xff, x.size() * sizeof(T));
  foldline::inclusive_scan(x, expected);
  foldline::inclusive_scan(input, out, on_gpu);
  ASSERT_NO_FATAL_FAILURE(expect_equal(device_out, ""));
  foldline::inclusive_scan(input, in_place, on_gpu);
  ASSERT_NO_FATAL_FAILURE(expect_equal(device_x, ", in place"));
  // Not at once but by a pipeline.
  const T before = 1;
  check(cudaMemcpy(device_x, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  foldline::exclusive_scan(x, expected, before);
  foldline::exclusive_scan(input, out, before, on_gpu);
  ASSERT_NO_FATAL_FAILURE(expect_equal(device_out, ", after 1"));
  foldline::exclusive_scan(input, in_place, before, on_gpu);
  ASSERT_NO_FATAL_FAILURE(expect_equal(device_x, ", after 1, in place"));
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
  // Blocks whose sums are in neighbouring units, or far apart, or those of zeros alone.
  compare_all("ascending slowly",
              with_exponent([](std::int64_t i) { return static_cast<int>(i * 150 / size) - 60; }));
  compare_all("descending slowly",
              with_exponent([](std::int64_t i) { return 60 - static_cast<int>(i * 150 / size); }));
  for (const int top : {3, 30, 60})
    compare_all("large and small by turns",
                with_exponent([top](std::int64_t i) { return i / 40'000 % 2 == 0 ? top : top - 45; }));
  compare_all("in part zero", [&](std::int64_t i) { return i / 100'000 % 3 == 1 ? uniform(random) : 0; });
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
  // Deeper than the doubles of a running sum reach, so level by level.
  for (const int step : {30, 70, 150, 240})
    compare_all("near-ties, and near-ties of what is left", [&](std::int64_t i) {
      constexpr std::int64_t depth = 4;
      const std::int64_t place = i % (2 * depth);
      const double x = std::ldexp(1, -53 - step * static_cast<int>(std::min(place, 2 * depth - 1 - place)));
      return i == 0 ? 1.0 : place < depth ? x : -x;
    });
  compare_all("next to overflow, then nearly nothing", [&](std::int64_t i) {
    const double x[] = {0x1.8p1023, 0x1p-1074, -0x1.8p1023, -0x1p-1000, 0x1p-1000};
    return x[i % 5];
  });
  compare_all("floats next to overflow, then nearly nothing", [&](std::int64_t i) {
    const double x[] = {0x1.8p127, 0x1p-149, -0x1.8p127, -0x1p-100, 0x1p-100};
    return x[i % 5];
  });
  compare_all("whole numbers after one that is larger", [&](std::int64_t i) {
    return i % 500'000 == 100'000   ? 0x1p100
           : i % 500'000 == 400'000 ? -0x1p100
                                    : static_cast<double>(random() % 9);
  });
  compare_all("whole numbers after the largest",
              [&](std::int64_t i) { return i == 1000 ? 0x1p120 : static_cast<double>(random() % 9); });
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

/// Elements in one of the ways that the sums of tiles tell apart: of any exponent, or some in a hundred of
/// them, or these and an infinity.
enum class Outliers { all, some, with_infinity };
std::vector<double> any_elements(ElementType type, std::int64_t size, Outliers outliers,
                                 std::mt19937_64& random) {
  const int lowest = type == ElementType::float64 ? -1074 : -149;
  const auto exponents = static_cast<std::uint64_t>(type == ElementType::float64 ? 2050 : 260);
  std::uniform_real_distribution<double> around(-1, 1);
  std::vector<double> elements(static_cast<std::size_t>(size));
  for (double& element : elements) {
    const bool is_any = outliers == Outliers::all || random() % 100 == 0;
    element = std::ldexp(around(random), is_any ? lowest + static_cast<int>(random() % exponents) : 0);
  }
  if (outliers == Outliers::with_infinity) elements[random() % elements.size()] = INFINITY;
  return elements;
}
constexpr Outliers all_outliers[] = {Outliers::all, Outliers::some, Outliers::with_infinity};

// Five tiles or more for every block of a device, which are on their way ahead where the layout allows it; so
// many elements are never scanned at once.
constexpr std::int64_t elements_of_many_tiles = 5'000'003;

TEST_F(CudaScan, TilesOfAnyElementsAndLayout) {
  std::mt19937_64 random(8);
  const double inits[] = {0.25, -0x1p-1074, -0x1.8p127, 0x1p60};
  std::size_t round = 0;
  for (const ElementType type : {ElementType::float64, ElementType::float32})
    for (const std::int64_t stride : {1, -1, 2})
      for (const std::int64_t misalignment :
           {std::int64_t{0}, std::int64_t{size_of(type)}, std::int64_t{3}}) {
        // Each stride, and each misalignment, with other data.
        const Outliers outliers = all_outliers[(round + round / 3) % 3];
        std::vector<std::uint64_t> words;
        for (const double x : any_elements(type, elements_of_many_tiles, outliers, random))
          words.push_back(oracle::encode(type == ElementType::float64 ? x : static_cast<float>(x), type));
        const auto x = cases::Layout::of_words(words, type, stride, misalignment);
        const Layouts layouts{stride, misalignment, stride, misalignment};
        ASSERT_NO_FATAL_FAILURE(compare(x, type, layouts, Overflow::error, inits[round % 4])) << round;
        ++round;
      }
}

TEST_F(CudaScan, TilesOfAnyElementsInPlace) {
  std::mt19937_64 random(9);
  for (const Outliers outliers : all_outliers)
    for (const std::int64_t offset : {0, 1}) {
      const std::string what =
          "outliers " + std::to_string(static_cast<int>(outliers)) + ", offset " + std::to_string(offset);
      ASSERT_NO_FATAL_FAILURE(compare_values<double>(
          any_elements(ElementType::float64, elements_of_many_tiles, outliers, random), what, offset));
      ASSERT_NO_FATAL_FAILURE(compare_values<float>(
          any_elements(ElementType::float32, elements_of_many_tiles, outliers, random), what, offset));
    }
}

}  // namespace
