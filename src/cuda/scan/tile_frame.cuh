// The start of a tile's scan: the exact sum of all elements before it, as a few doubles.
//
// A running sum has three doubles. All sums are below 2^y. `high` counts multiples of U = 2^(y - 50) and
// `middle` multiples of V = 2^(y - 89); `low` sums what these round away, and rounds itself. The first two
// start at anchors, 1.5 * 2^(y + 2) and 1.5 * 2^(y - 37), which have these last places, and stay within half
// a binade: sums are below 2^y, and what `high` rounds away is at most U / 2 for each of 3840 elements and
// the digits of the sum before, together less than 2^(y - 38). What `middle` rounds away sums to less than
// 2^(y - 77), so the roundings of `low`, fewer than 2^7, sum to less than 2^(y - 122). If all that `low` adds
// are multiples of some 2^k with a total below 2^(k + 53), it rounds nothing.
//
// Floats do without `middle`: `low` is then below 2^(y - 38), and its roundings below 2^(y - 83).
#pragma once

#include "arithmetic/one_lane.hpp"
#include "arithmetic/windows.hpp"
#include "cuda/device/lane.cuh"
#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/tile_elements.cuh"

namespace foldline::cuda {

/// The sum of three doubles, or of two.
template <bool HasMiddle>
struct RunningSum {
  double high = 0, middle = 0, low = 0;

  friend __device__ __forceinline__ RunningSum operator+(const RunningSum& a, const RunningSum& b) {
    using one_lane::Add;
    return {Add(a.high, b.high), HasMiddle ? Add(a.middle, b.middle) : 0, Add(a.low, b.low)};
  }
  friend __device__ __forceinline__ RunningSum operator-(const RunningSum& a, const RunningSum& b) {
    using one_lane::Sub;
    return {Sub(a.high, b.high), HasMiddle ? Sub(a.middle, b.middle) : 0, Sub(a.low, b.low)};
  }
  /// Another lane's sum; `shuffle` exchanges a double.
  template <class Shuffle>
  __device__ __forceinline__ RunningSum of_lane(const Shuffle& shuffle) const {
    return {shuffle(high), HasMiddle ? shuffle(middle) : 0, shuffle(low)};
  }
  /// Adds x to a sum that starts at the anchors. Returns what was added to `low`.
  __device__ __forceinline__ double add(double x) {
    using one_lane::Add, one_lane::Sub;
    const double next_high = Add(high, x);
    double below = Sub(x, Sub(next_high, high));
    high = next_high;
    if constexpr (HasMiddle) {
      const double next_middle = Add(middle, below);
      below = Sub(below, Sub(next_middle, middle));
      middle = next_middle;
    }
    low = Add(low, below);
    return below;
  }
};

/// The smallest n with |x| < 2^n, from the high word of x.
__device__ __forceinline__ int exponent_above(unsigned high) {
  const int field = static_cast<int>(high >> 20) & infinite_field;
  return field != 0 ? field + 1 - exponent_bias
                    : smallest_exponent + 64 - __clz(static_cast<int>(high & 0xfffffu));
}

/// Near overflow everything is scaled by 2^-frame_scaling.
inline constexpr int frame_scaling = 128;

template <bool HasMiddle>
struct TileFrame {
  using Sum = RunningSum<HasMiddle>;

  Sum before, anchors;
  double error;
  int y, lowest_bit;                  // of all numbers, not scaled
  int low_exponent;                   // the part of the sum before in `low` is below 2^low_exponent; scaled
  std::int8_t has_special;            // earlier NaN, +inf, -inf as bits 0, 1, 2
  bool has_other_than_negative_zero;  // an earlier element is other than -0
  bool has_nonfinite, is_scaled;

  /// True if `low` is exact, provided that all that is added to it is below 2^exponent; scaled.
  __device__ __forceinline__ bool has_exact_low(int exponent) const {
    if (is_scaled && lowest_bit < smallest_exponent + frame_scaling) return false;
    const int lowest = is_scaled ? lowest_bit - frame_scaling : lowest_bit;
    return max(exponent, low_exponent) + tile_count_bits + 1 <= lowest + fraction_bits;
  }
};

/// By a warp. The sum before is in the limbs row(r), not necessarily normalised.
template <bool HasMiddle, class Row>
__device__ TileFrame<HasMiddle> frame_of(const Row& row, const TileExtent& extent) {
  // Digits between -2^31 - 1 and 2^31 + 1, so that the highest bounds the number.
  constexpr int groups = (limb_rows + 31) / 32;
  std::int64_t digit[groups];
#pragma unroll
  for (int g = 0; g < groups; ++g) digit[g] = 32 * g + lane() < limb_rows ? row(32 * g + lane()) : 0;
#pragma unroll
  for (int pass = 0; pass < 2; ++pass) {
    std::int64_t from_below = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const bool is_last = 32 * g + lane() >= limb_rows - 1;
      const std::int64_t carry = is_last ? 0 : (digit[g] + (std::int64_t{1} << 31)) >> 32;
      const std::int64_t from_lane_before = __shfl_sync(all_lanes, carry, (lane() + 31) % 32);
      digit[g] += (lane() == 0 ? from_below : from_lane_before) - carry * (std::int64_t{1} << 32);
      from_below = from_lane_before;
    }
  }
  int bound = 0, above = 0;
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    if (digit[g] == 0) continue;
    const int unit = 32 * (32 * g + lane());
    const auto magnitude = static_cast<std::uint64_t>(digit[g] < 0 ? -digit[g] : digit[g]);
    bound = max(bound, unit + 64 - leading_zeros(magnitude) + 1);
    above = max(above, no_lowest_bit - (SumLimbs::first_exponent + unit + __ffsll(digit[g]) - 1));
  }
  bound = static_cast<int>(warp_max(static_cast<unsigned>(bound))) + SumLimbs::first_exponent;
  TileFrame<HasMiddle> frame;
  frame.lowest_bit =
      min(no_lowest_bit - static_cast<int>(warp_max(static_cast<unsigned>(above))), extent.lowest_bit);
  frame.y = max(bound, extent.top + tile_count_bits) + 1;
  constexpr int lowest_y = -890, highest_y = 960;
  frame.is_scaled = frame.y > highest_y;
  const int y = max(frame.is_scaled ? frame.y - frame_scaling : frame.y, lowest_y);
  frame.anchors = {anchor_of(y - 50), HasMiddle ? anchor_of(y - 89) : 0, 0};
  frame.error = power_of_two(y - (HasMiddle ? 122 : 83));

  RunningSum<HasMiddle> sum = frame.anchors;
  unsigned largest_below = 0;
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    const int unit =
        SumLimbs::first_exponent + 32 * (32 * g + lane()) - (frame.is_scaled ? frame_scaling : 0);
    const int half = unit / 2;
    if (digit[g] == 0) continue;
    const double below =
        sum.add(static_cast<double>(digit[g]) * power_of_two(half) * power_of_two(unit - half));
    largest_below = max(largest_below, high_bits(below) & 0x7fffffffu);
  }
  sum = sum - frame.anchors;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum = sum + sum.of_lane([&](double x) { return __shfl_xor_sync(all_lanes, x, distance); });
  frame.before = sum;
  frame.low_exponent = exponent_above(warp_max(largest_below));
  const bool has[] = {row(nan_row) != 0, row(positive_infinity_row) != 0, row(negative_infinity_row) != 0};
  frame.has_special = static_cast<std::int8_t>((has[0] ? 1 : 0) | (has[1] ? 2 : 0) | (has[2] ? 4 : 0));
  frame.has_other_than_negative_zero = row(other_than_negative_zero_row) != 0;
  frame.has_nonfinite = extent.has_nonfinite;
  return frame;
}

}  // namespace foldline::cuda
