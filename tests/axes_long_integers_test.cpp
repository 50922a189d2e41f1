// Variances and norms along an axis of integers of 64 bits: where doubles hold them, and just beyond.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "axes_cases.hpp"
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
    default:
      return random.bits() >> random.between(12, 63);
  }
}
constexpr int kinds_of_integers = 12;

TEST_P(LongIntegers, OfAnySize) {
  const auto [type, target] = GetParam();
  constexpr std::array spreads_and_norms = {Operation::variance, Operation::standard_deviation,
                                            Operation::standard_error, Operation::two_norm,
                                            Operation::root_mean_square};
  constexpr std::array results = {ElementType::float64, ElementType::float64, ElementType::float32,
                                  ElementType::half};
  Random random(3);
  for (int turn = 0; turn < 250; ++turn) {
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
    const Operation operation = spreads_and_norms[static_cast<std::size_t>(random.between(0, 4))];
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

}  // namespace
