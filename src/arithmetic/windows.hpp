// Where the fast paths put their slices of the number line. A window begins just above the largest term and reaches
// down as far as its levels do; it may begin at any exponent and may differ from thread to thread.
#pragma once

#include "arithmetic/floating_point.hpp"

namespace foldline {

/// Deposits that one accumulator takes before its content is moved to an int64 count: the length of a tile, in vectors
/// per accumulator. Widths below follow from it: width + log2(deposits_per_tile) = 51, the half binade that a
/// floating-point accumulator has to either side of its anchor.
inline constexpr int deposits_per_tile = 32;

/// 1.5 * 2^(unit + 52): a double whose last place is 2^unit, in the middle of its binade. While a sum stays within that
/// binade, bits(sum) - bits(anchor) is its distance from the anchor in units of 2^unit.
FOLDLINE_HOST_DEVICE inline double anchor_of(int unit) { return 1.5 * power_of_two(unit + fraction_bits); }

/// Windows for terms that are doubles: level k holds multiples of 2^unit(k), 46 bits a level.
struct BinWindow {
  static constexpr int width = 46;
  static constexpr int max_levels = 4;
  // The anchor of level 0 must not overflow; the unit of the last level must not lie below a double's.
  static constexpr int highest_top = 1016;
  static constexpr int lowest_top = smallest_exponent + max_levels * width;

  int top = 0;  // every term is below 2^top

  FOLDLINE_HOST_DEVICE int unit(int level) const { return top - width * (level + 1); }
  FOLDLINE_HOST_DEVICE double anchor(int level) const { return anchor_of(unit(level)); }
};

/// Windows for the factors of products: x = h_0 + h_1 + ..., where h_k is a multiple of 2^unit(k) and at most 2^23 of them,
/// so that a product of slices is below 2^46 of its units and 32 of them add up exactly in one accumulator.
struct SliceWindow {
  static constexpr int width = 24;
  static constexpr int max_slices = 4;

  int top = 0;  // every factor is below 2^top

  FOLDLINE_HOST_DEVICE int unit(int slice) const { return top - (width - 1) - width * slice; }
  /// Adding and subtracting the splitter rounds to a multiple of 2^unit(slice). That of slice 0 is biased by 2^23 units, so
  /// that the bits above the lowest 24 of (x + splitter) equal those of the splitter exactly if x is in the window.
  FOLDLINE_HOST_DEVICE double splitter(int slice) const {
    const double anchor = anchor_of(unit(slice));
    return slice == 0 ? anchor + power_of_two(unit(0) + width - 1) : anchor;
  }
};

/// Whether products of slices of x and y are multiples of 2^-1074 and their accumulators are finite.
FOLDLINE_HOST_DEVICE inline bool products_are_exact(SliceWindow x, SliceWindow y, int slices) {
  return x.unit(slices - 1) + y.unit(slices - 1) >= smallest_exponent &&
         x.unit(0) + y.unit(0) + fraction_bits + 1 <= exponent_bias && x.unit(0) <= 970 && y.unit(0) <= 970 &&
         x.unit(slices - 1) >= -1074 + fraction_bits && y.unit(slices - 1) >= -1074 + fraction_bits;
}

}  // namespace foldline
