// Doubles as integers, and the windows of the fast paths.
#include "arithmetic/floating_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "arithmetic/windows.hpp"
#include "big.hpp"
#include "inputs.hpp"

namespace {

using namespace foldline;

TEST(FloatingPoint, EveryExponentComesApart) {
  inputs::Random random(1);
  for (int field = 0; field < infinite_field; ++field)
    for (int i = 0; i < 20; ++i) {
      const double x = random.finite(field, field);
      const Decomposed parts = decompose(x);
      ASSERT_EQ(parts.negative, std::signbit(x)) << x;
      ASSERT_LT(parts.significand, std::uint64_t{1} << 53);
      const mpz_class magnitude = big::scaled(parts.significand, parts.exponent);
      ASSERT_EQ(parts.negative ? -magnitude : magnitude, big::of_double(x)) << x;
    }
  EXPECT_EQ(decompose(-0.0).significand, 0u);
  EXPECT_TRUE(decompose(-0.0).negative);
}

TEST(FloatingPoint, PowersOfTwo) {
  for (int exponent = -1022; exponent <= 1023; ++exponent)
    ASSERT_EQ(power_of_two(exponent), std::ldexp(1.0, exponent));
}

TEST(FloatingPoint, LeadingZeros) {
  for (int i = 0; i < 64; ++i) {
    ASSERT_EQ(leading_zeros(std::uint64_t{1} << i), 63 - i);
    ASSERT_EQ(leading_zeros(~std::uint64_t{0} >> (63 - i)), 63 - i);
  }
}

/// The anchor is finite, in the middle of its binade, and its last place is 2^unit.
void expect_anchor(double anchor, int unit) {
  ASSERT_TRUE(std::isfinite(anchor));
  ASSERT_GE(unit, smallest_exponent);
  ASSERT_EQ(std::nextafter(anchor, std::numeric_limits<double>::infinity()) - anchor, std::ldexp(1.0, unit));
  ASSERT_EQ(anchor, std::ldexp(1.5, unit + 52));
}

TEST(Windows, AnchorsOfBins) {
  for (int top = BinWindow::lowest_top; top <= BinWindow::highest_top; ++top) {
    const BinWindow window{top};
    for (int k = 0; k < BinWindow::max_levels; ++k) {
      expect_anchor(window.anchor(k), window.unit(k));
      // Half a binade, 2^51 units, holds what deposits_per_block terms below 2^top add to level 0, and halves
      // of the units above to all others.
      const int most = k == 0 ? top : window.unit(k - 1) - 1;
      ASSERT_LE(most - window.unit(k) + std::log2(deposits_per_block), 51);
    }
  }
}

TEST(Windows, SplittersOfSlices) {
  for (int top = SliceWindow::lowest_top; top <= SliceWindow::highest_top; ++top) {
    const SliceWindow window{top};
    for (int k = 0; k < SliceWindow::max_slices; ++k) {
      expect_anchor(window.splitter(k), window.unit(k));
      if (k > 0) {
        ASSERT_EQ(window.unit(k - 1) - window.unit(k), SliceWindow::width);
      }
    }
  }
}

}  // namespace
