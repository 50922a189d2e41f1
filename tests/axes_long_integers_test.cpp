// Sums, variances and norms along an axis of integers of 64 bits: where doubles hold them, and beyond.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "axes_cases.hpp"
#include "integer_cases.hpp"
#include "integer_oracle.hpp"

namespace {

using axes_cases::Memory;
using axes_cases::Placement;
using foldline::ElementType;
using foldline::Operation;
using generators::Random;

class LongIntegers : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {};

INSTANTIATE_TEST_SUITE_P(Everywhere, LongIntegers,
                         testing::Combine(testing::Values(ElementType::int64, ElementType::uint64),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

/// The bits of an element of a column of some kind.
std::uint64_t element(int kind, bool is_signed, Random& random) {
  const auto around = [&](std::uint64_t x) {
    const std::uint64_t value = x + static_cast<std::uint64_t>(random.between(-2, 2));
    return is_signed && random.coin() ? 0 - value : value;
  };
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return around(1000);
    case 2:
      return around(std::uint64_t{1} << 26);
    case 3:
      return around((std::uint64_t{1} << 53) - 4);
    case 4:
      return around(std::uint64_t{1} << 53);
    case 5:
      return around((std::uint64_t{1} << 62) + 3);
    case 6:
      return around(std::uint64_t{1} << 63);
    case 7:
      return random.one_in(30) ? std::numeric_limits<std::uint64_t>::max() : 5;
    case 8:
      return (std::uint64_t{1} << 52) + 1;  // all the same
    case 9:
      return random.bits();
    case 10:  // times of a second, in nanoseconds
      return 1'700'000'000'000'000'000u + static_cast<std::uint64_t>(random.between(0, 1'000'000'000));
    case 11:  // all but the same
      return (std::uint64_t{1} << 62) + static_cast<std::uint64_t>(random.between(0, 1));
    case 12:  // from one end to the other
      return random.coin() ? std::uint64_t{1} << 63 : (std::uint64_t{1} << 63) - 1;
    default:
      return random.bits() >> random.between(12, 63);
  }
}
constexpr int kinds_of_integers = 15;

TEST_P(LongIntegers, OfAnySize) {
  const auto [type, target] = GetParam();
  constexpr std::array of_integers = {
      Operation::variance, Operation::standard_deviation, Operation::standard_error,
      Operation::two_norm, Operation::root_mean_square,   Operation::sum,
      Operation::mean};
  constexpr std::array results = {ElementType::float64, ElementType::float64, ElementType::float32,
                                  ElementType::half};
  Random random(3);
  for (int turn = 0; turn < 350; ++turn) {
    const std::int64_t rows = random.one_in(10) ? random.between(100, 700) : random.between(2, 40);
    const std::int64_t columns = random.between(8, 40);
    Placement placement = axes_cases::random_placement({rows, columns}, true, random);
    if (random.coin()) placement = axes_cases::dense({rows, columns});
    Memory array(placement, type);
    const int kind = static_cast<int>(random.between(0, kinds_of_integers - 1));
    for (std::int64_t column = 0; column < columns; ++column) {
      const int own = random.one_in(6) ? static_cast<int>(random.between(0, kinds_of_integers - 1)) : kind;
      for (std::int64_t row = 0; row < rows; ++row)
        array.set_bits({row, column}, element(own, type == ElementType::int64, random));
    }
    const Operation operation = integer_cases::pick(of_integers, random);
    const ElementType result = results[static_cast<std::size_t>(random.between(0, 3))];
    const std::int64_t ddof = oracle::has_ddof(operation) ? random.between(0, 2) : 0;
    Memory out(axes_cases::dense({columns}), result);
    array.reduce(operation, 0, out, ddof, {.execution = {.threads = 1, .target = target}});
    std::vector<std::uint64_t> words;
    for (std::int64_t column = 0; column < columns; ++column) {
      array.get_line(0, {column}, words);
      oracle::Integers integers;
      integers.load(type, words);
      ASSERT_EQ(out.bits({column}), integers.result(operation, result, ddof, foldline::Overflow::error).bits)
          << "turn " << turn << ", column " << column << ", " << rows << " rows, kind " << kind;
    }
  }
}

/// Sums of rows as integers of type R, one of which is {x, y} and the others {1, 2}, or an error.
template <class T, class R>
void check_sums(T x, T y, bool fits, R sum) {
  constexpr std::size_t count = 40, own = 17;
  std::vector<T> rows;
  for (std::size_t i = 0; i < count; ++i) rows.insert(rows.end(), {i == own ? x : T{1}, i == own ? y : T{2}});
  for (const foldline::Target target : foldline::available_targets()) {
    std::vector<R> sums(count), expected(count, 3);
    const auto call = [&] {
      foldline::reduce_axis(Operation::sum, foldline::ArrayView(rows.data(), {std::int64_t{count}, 2}), 1,
                            sums, {}, {.execution = {.threads = 1, .target = target}});
    };
    if (!fits) {
      EXPECT_THROW(call(), foldline::OverflowError) << x << " + " << y;
      continue;
    }
    call();
    expected[own] = sum;
    EXPECT_EQ(sums, expected);
  }
}

TEST(LongIntegerSums, AtTheEndsOfTheirTypes) {
  constexpr std::int64_t lowest = INT64_MIN, highest = INT64_MAX;
  constexpr std::uint64_t half = std::uint64_t{1} << 63, all = UINT64_MAX;
  check_sums<std::int64_t, std::int64_t>(highest - 1, 1, true, highest);
  check_sums<std::int64_t, std::int64_t>(highest, 1, false, 0);
  check_sums<std::int64_t, std::int64_t>(lowest + 1, -1, true, lowest);
  check_sums<std::int64_t, std::int64_t>(lowest, -1, false, 0);
  check_sums<std::int64_t, std::int64_t>(lowest, lowest, false, 0);
  check_sums<std::int64_t, std::uint64_t>(highest, highest, true, all - 1);
  check_sums<std::int64_t, std::uint64_t>(5, -6, false, 0);
  check_sums<std::uint64_t, std::uint64_t>(half, half - 1, true, all);
  check_sums<std::uint64_t, std::uint64_t>(half, half, false, 0);
  check_sums<std::uint64_t, std::int64_t>(half - 1, 0, true, highest);
  check_sums<std::uint64_t, std::int64_t>(half, 0, false, 0);
  check_sums<std::uint64_t, std::int64_t>(all, all, false, 0);
}

}  // namespace
