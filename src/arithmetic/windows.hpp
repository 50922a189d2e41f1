// Windows: which bits the bins, or slices, of a sum cover. A window begins just above the largest term and
// reaches down by a fixed width per level. It may begin at any exponent, and each thread chooses its own.
#pragma once

#include "arithmetic/floating_point.hpp"

namespace foldline {

/// Deposits that one accumulator takes before its content is moved to an int64 count. The widths below follow
/// from it: width + log2(deposits_per_block) = 51, since an accumulator may move by half a binade to either
/// side of its anchor.
inline constexpr int deposits_per_block = 32;

/// 1.5 * 2^(unit + 52): a double whose last place is 2^unit, in the middle of its binade. While a sum stays
/// in that binade, bits(sum) - bits(anchor) is its distance from the anchor in units of 2^unit.
FOLDLINE_HOST_DEVICE inline double anchor_of(int unit) {
  return from_bits(bits_of(power_of_two(unit + fraction_bits)) | std::uint64_t{1} << (fraction_bits - 1));
}

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

  static FOLDLINE_HOST_DEVICE constexpr int clamped(int top) {
    const int raised = top > lowest_top ? top : lowest_top;
    return raised < highest_top ? raised : highest_top;
  }
  /// Levels of a window with this top that reach down to 2^last_place.
  static FOLDLINE_HOST_DEVICE constexpr int levels_for(int top, int last_place) {
    return (top - last_place + width - 1) / width;
  }
};

/// Windows for the squares of doubles: x = h_0 + h_1 + ..., where h_k is a multiple of 2^unit(k) and at most
/// 2^23 of them, so that a product of slices is below 2^46 of its units and 32 of them add up exactly in one
/// accumulator.
struct SliceWindow {
  static constexpr int width = 24;
  static constexpr int max_slices = 4;
  // The products of the lowest slices must be multiples of 2^-1074, the accumulators of the highest must not
  // overflow.
  static constexpr int lowest_top = smallest_exponent / 2 + max_slices * width;
  static constexpr int highest_top = 485 + width - 1;

  int top = 0;  // every element is below 2^top

  FOLDLINE_HOST_DEVICE constexpr int unit(int slice) const { return top - (width - 1) - width * slice; }
  /// Adding and subtracting it rounds to a multiple of 2^unit(slice).
  FOLDLINE_HOST_DEVICE double splitter(int slice) const { return anchor_of(unit(slice)); }
};

static_assert(2 * SliceWindow{SliceWindow::lowest_top}.unit(SliceWindow::max_slices - 1) >=
              smallest_exponent);
static_assert(2 * SliceWindow{SliceWindow::highest_top}.unit(0) + fraction_bits + 1 <= exponent_bias);

}  // namespace foldline
