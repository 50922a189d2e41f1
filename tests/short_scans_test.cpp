// Scans of many short vectors: side by side, one after the other, in tiles and what is left of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "axes_cases.hpp"
#include "cases.hpp"
#include "oracle_scan.hpp"

namespace {

using axes_cases::Extents;
using axes_cases::Memory;
using axes_cases::Placement;
using foldline::ElementType;
using generators::Random;

class ShortScans : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {
 protected:
  ElementType type() const { return std::get<0>(GetParam()); }
  Random random_{11};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, ShortScans,
                         testing::Combine(testing::ValuesIn(oracle::all_types),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

double largest(ElementType type) {
  return type == ElementType::half       ? 65504
         : type == ElementType::bfloat16 ? 0x1.fep127
         : type == ElementType::float32  ? 0x1.fffffep127
                                         : 0x1.fffffp1023;
}

/// The nearest number of a type.
std::uint64_t nearest(double x, ElementType type) {
  return oracle::inclusive_scan(std::array{x}, type).front();
}

/// Bits of an element of a vector of some kind: most kinds are such that a few doubles hold all sums.
std::uint64_t element(int kind, ElementType type, Random& random) {
  const double sign = random.coin() ? 1 : -1;
  switch (kind) {
    case 0:
      return random.bits();  // infinities and NaN, too
    case 1:
      return nearest(-0.0, type);
    case 2:
      return nearest(random.one_in(20) ? -0.0 * sign : -0.0, type);
    case 3:
      return nearest(sign * largest(type), type);
    case 4:
      return nearest(std::ldexp(random.real(), -static_cast<int>(random.between(0, 24))), type);
    case 5:
      return nearest(std::ldexp(sign, -static_cast<int>(random.between(0, 60))), type);
    case 6:
      return nearest(sign * 0x1p-24 * static_cast<double>(random.between(0, 3)), type);
    case 7:
      return nearest(random.one_in(40) ? sign * INFINITY : sign, type);
    case 8:
      return nearest((type == ElementType::bfloat16 ? 256 : 2048) + static_cast<double>(random.between(0, 2)),
                     type);  // ties of 16 bits
    default:
      return nearest(random.real(), type);
  }
}
constexpr int kinds = 11;

std::vector<std::uint64_t> expected_of(const std::vector<std::uint64_t>& words, ElementType type) {
  std::vector<double> x;
  for (const std::uint64_t word : words) x.push_back(oracle::decode(word, type));
  return oracle::inclusive_scan(x, type);
}

TEST_P(ShortScans, OfAnyShapeAndPlace) {
  constexpr std::array lengths = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 64, 100, 127, 128, 129, 300};
  const foldline::Context context{.execution = {.threads = 1, .target = std::get<1>(GetParam())}};
  for (int turn = 0; turn < 120; ++turn) {
    const std::int64_t terms = lengths[static_cast<std::size_t>(turn) % lengths.size()];
    const std::int64_t vectors = random_.between(1, terms < 20 ? 300 : 40);
    const std::int64_t gap = random_.coin() ? 0 : random_.between(1, 9);
    Placement placement = {{vectors, terms}, {terms + gap, 1}, random_.coin() ? 0 : random_.between(0, 7)};
    if (turn % 3 == 1) placement.strides = {1, vectors + gap};
    if (turn % 9 == 2) placement = axes_cases::random_placement(placement.shape, true, random_);
    Memory array(placement, type());
    const int kind = static_cast<int>(random_.between(0, kinds - 1));
    std::vector<std::vector<std::uint64_t>> expected;
    std::vector<std::uint64_t> words(static_cast<std::size_t>(terms));
    for (std::int64_t i = 0; i < vectors; ++i) {
      const int own = random_.one_in(8) ? static_cast<int>(random_.between(0, kinds - 1)) : kind;
      for (std::uint64_t& word : words) word = element(own, type(), random_);
      array.set_line(1, {i}, words);
      array.get_line(1, {i}, words);
      expected.push_back(expected_of(words, type()));
    }
    Memory other(random_.coin() ? placement : axes_cases::dense(placement.shape), type());
    const bool in_place = random_.coin();
    Memory& out = in_place ? array : other;
    inclusive_scan_axis(array.view(), 1, out.mutable_view(), context);
    for (std::int64_t i = 0; i < vectors; ++i) {
      out.get_line(1, {i}, words);
      ASSERT_EQ(words, expected[static_cast<std::size_t>(i)])
          << "vector " << i << " of " << vectors << " of " << terms << ", kind " << kind << ", turn " << turn;
      out.set_line(1, {i}, std::vector<std::uint64_t>(words.size(), UINT64_MAX));
    }
    ASSERT_TRUE(out.is_blank()) << "something was written around the results, turn " << turn;
  }
}

// As many as a double has room for.
TEST_P(ShortScans, LongestOnes) {
  const foldline::Context context{.execution = {.threads = 1, .target = std::get<1>(GetParam())}};
  for (const std::int64_t terms : {4095, 4096})
    for (const int kind : {3, 8}) {
      Memory array(kind % 2 == 0 ? axes_cases::dense({terms, 9}) : Placement{{terms, 9}, {1, terms + 1}, 3},
                   type());
      std::vector<std::vector<std::uint64_t>> expected;
      std::vector<std::uint64_t> words(static_cast<std::size_t>(terms));
      for (std::int64_t i = 0; i < 9; ++i) {
        for (std::uint64_t& word : words) word = element(kind, type(), random_);
        if (i == 0) {
          // Up to the largest sum and back to the smallest element.
          const auto middle = words.begin() + terms / 2;
          std::fill(words.begin(), middle, nearest(largest(type()), type()));
          std::fill(middle, words.end(), nearest(-largest(type()), type()));
          words.front() = nearest(0x1p-24, type());
          if (terms % 2 == 0) words.back() = nearest(0, type());
        }
        array.set_line(0, {i}, words);
        expected.push_back(expected_of(words, type()));
      }
      inclusive_scan_axis(array.view(), 0, array.mutable_view(), context);
      for (std::int64_t i = 0; i < 9; ++i) {
        array.get_line(0, {i}, words);
        ASSERT_EQ(words, expected[static_cast<std::size_t>(i)]) << "vector " << i << ", kind " << kind;
      }
    }
}

}  // namespace
