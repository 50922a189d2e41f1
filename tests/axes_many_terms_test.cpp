// Sums of many terms side by side: in batches, from anchors that are too low, of neighbours and of what has
// gaps.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "axes_cases.hpp"

namespace {

using axes_cases::Extents;
using axes_cases::Memory;
using axes_cases::Placement;
using foldline::ElementType;
using foldline::Operation;
using generators::Random;

class ManyTerms : public testing::TestWithParam<std::tuple<ElementType, foldline::Target>> {
 protected:
  ElementType type() const { return std::get<0>(GetParam()); }
  foldline::Context context() const {
    return {.execution = {.threads = 1, .target = std::get<1>(GetParam())}};
  }
  /// Compares results along the first axis of two.
  void check(const Memory& array, Operation operation, ElementType result) const {
    const std::int64_t columns = array.view().shape()[1];
    ASSERT_EQ(axes_cases::check(array, {operation, 0, result, 0, context()}, axes_cases::dense({columns})),
              "");
  }
  Random random_{5};
};

INSTANTIATE_TEST_SUITE_P(Everywhere, ManyTerms,
                         testing::Combine(testing::Values(ElementType::float64, ElementType::float32,
                                                          ElementType::bfloat16),
                                          testing::ValuesIn(foldline::available_targets())),
                         [](const auto& test) {
                           return std::string(name_of(std::get<0>(test.param))) + '_' +
                                  std::string(name_of(std::get<1>(test.param)));
                         });

constexpr std::array operations = {Operation::sum, Operation::mean, Operation::two_norm, Operation::variance,
                                   Operation::maximum};

TEST_P(ManyTerms, AnyStrideAndNumber) {
  constexpr std::array sizes = {15, 16, 17, 63, 64, 65, 512, 1023, 1024, 1025, 2049, 4095, 4096, 4097};
  for (const std::int64_t rows : sizes)
    for (const std::int64_t apart : {1, 2, 3, 5, -1, -2})
      for (const bool is_turned : {false, true}) {
        const std::int64_t columns = random_.between(8, 18);
        const std::int64_t gap = std::abs(apart);
        const Placement placement = {{rows, columns},
                                     is_turned ? Extents{apart, gap * rows + 1}
                                               : Extents{gap * columns + random_.between(0, 1), apart},
                                     random_.between(0, 7)};
        Memory array(placement, type());
        axes_cases::fill(array, 0, type(), random_);
        check(array, operations[static_cast<std::size_t>(random_.between(0, 4))], type());
        if (HasFatalFailure()) return;
      }
}

/// Number `row` of a column of some kind.
double element(std::int64_t kind, std::int64_t row, std::int64_t rows) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool is_last = row == rows - 1;
  switch (kind) {
    case 0:
      return -0.0;
    case 1:
      return is_last ? 0.0 : -0.0;
    case 2:
      return is_last ? 0x1p900 : 0;  // after zeros, and in one lane only
    case 3:
      return row == 0 ? 0x1p53 : row == 9 ? 1 : 0;  // halfway between two doubles
    case 4:
      return row == 0 ? 0x1p53 : row == 9 ? 1 : is_last ? -0x1p-60 : 0;
    case 5:
      return row % 2 == 0 ? 1.0 / 3 : is_last && rows % 2 != 0 ? 0 : -1.0 / 3;
    case 6:
      return row == 20 ? infinity : 1;
    case 7:
      return row == 20 ? std::numeric_limits<double>::quiet_NaN() : 1;
    case 8:
      return row == 20 ? infinity : row == 21 ? -infinity : 1;
    case 9:
      return row % 2 == 0 ? std::numeric_limits<double>::max() : -0x1p1023;
    case 10:
      return static_cast<double>(row % 3) * 0x1p-1074;
    case 11:
      return std::ldexp(1, static_cast<int>(row % 40)) / 3;  // larger than the first rows let expect
    case 12:
      return 0x1p24 + static_cast<double>(row % 2);  // halfway between two floats
    case 13:
      return row < 8 ? 0x1p-1000 : 1 + 0x1p-52;
    case 14:
      return row % 1024 == 0 ? 0x1p200 / 3 : row % 1024 == 1 ? -0x1p200 / 3 : 0x1p-3;
    default:
      return std::sin(static_cast<double>(row * row));
  }
}
constexpr std::int64_t kinds = 16;

/// The nearest number of a type.
double nearest(double x, ElementType type) {
  if (type == ElementType::float64) return x;
  const auto single = static_cast<float>(x);
  return type == ElementType::float32 ? single : static_cast<float>(foldline::bfloat16(single));
}

TEST_P(ManyTerms, AnchorsTiesAndSpecialValues) {
  for (const std::int64_t rows : {64, 65, 600, 1024, 1025, 3000, 5000})
    for (const std::int64_t apart : {1, 2, 3})
      for (const bool beside_others : {false, true}) {
        // Columns of one kind side by side, or all kinds.
        const std::int64_t columns = beside_others ? 2 * kinds + 3 : 8 * kinds;
        Memory array({{rows, columns}, {columns * apart, apart}}, type());
        for (std::int64_t column = 0; column < columns; ++column)
          for (std::int64_t row = 0; row < rows; ++row)
            array.set({row, column},
                      nearest(element(beside_others ? column % kinds : column / 8, row, rows), type()));
        for (const Operation operation : {Operation::sum, Operation::mean}) {
          check(array, operation, type());
          check(array, operation, ElementType::float64);
          if (HasFatalFailure()) return;
        }
      }
}

TEST(ManyIntegers, SumsThatNearlyFill64Bits) {
  Random random(3);
  for (const std::int64_t rows : {2, 16, 100, 5000})
    for (const std::int64_t apart : {1, 2, -3})
      for (const bool is_turned : {false, true}) {
        constexpr std::int64_t columns = 19;
        __extension__ using Integer = __int128;
        std::vector<std::int64_t> x(static_cast<std::size_t>(rows * columns * 3 + 1), -1);
        std::vector<Integer> expected(columns);
        const std::int64_t row_step = is_turned ? apart : columns * std::abs(apart);
        const std::int64_t column_step = is_turned ? rows * std::abs(apart) : apart;
        std::int64_t* const first = x.data() + (apart < 0 ? -apart * ((is_turned ? rows : columns) - 1) : 0);
        for (std::int64_t column = 0; column < columns; ++column)
          for (std::int64_t row = 0; row < rows; ++row) {
            const int bits = column % 3 == 0 ? 20 : column % 3 == 1 ? 50 : 62;
            const auto value = static_cast<std::int64_t>(random.bits() >> (64 - bits));
            first[row * row_step + column * column_step] = row % 2 == 0 ? value : -value;
            expected[static_cast<std::size_t>(column)] += row % 2 == 0 ? value : -value;
          }
        const foldline::ArrayView view(first, ElementType::int64, {rows, columns}, {row_step, column_step});
        std::vector<std::int64_t> sums(columns);
        foldline::reduce_axis(Operation::sum, view, 0,
                              foldline::MutableArrayView(sums.data(), ElementType::int64, {columns}, {1}), {},
                              {.overflow = foldline::Overflow::wrap});
        std::vector<double> means(columns);
        foldline::reduce_axis(Operation::mean, view, 0,
                              foldline::MutableArrayView(means.data(), ElementType::float64, {columns}, {1}));
        for (std::size_t i = 0; i < columns; ++i) {
          ASSERT_EQ(sums[i], static_cast<std::int64_t>(expected[i]));
          const foldline::VectorView vector(first + static_cast<std::int64_t>(i) * column_step,
                                            ElementType::int64, rows, row_step);
          double mean = 0;
          foldline::reduce_axis(Operation::mean,
                                foldline::ArrayView(vector.data(), ElementType::int64, {rows}, {row_step}), 0,
                                foldline::MutableArrayView(&mean, ElementType::float64, {}, {}));
          ASSERT_EQ(means[i], mean);
        }
      }
}

}  // namespace
