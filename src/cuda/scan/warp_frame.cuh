// How a warp sums floats or doubles exactly, and the prefix that its scan starts from.
//
// There are three modes. `plain`, for floats only, adds doubles exactly. `split` also adds doubles: the last
// place of an anchor splits each element into two parts, whose sums are exact. Where that fails, `integer`
// adds 192-bit integers element by element and rounds them.
//
// The constants of the split mode. A warp has at most 2^count_bits elements, all below 2^top and multiples of
// 2^k (k: WarpExtent::lowest_bit). A number is added to `high`, which starts at an anchor 1.5 * 2^a and so
// has the last place U = 2^(a - 52) while it stays within 2^(a - 1) of the anchor. What that rounds away, at
// most U / 2, is computed exactly (by Sterbenz's lemma, as in bins) and added to `low`.
//
// To reduce: a = top + count_bits + 1. Sums of elements are below 2^(a - 1), so `high` stays in range, and
// the sum over the warp of all `high` parts, multiples of U below 2^a, is exact. The sums of `low` are at
// most 2^count_bits * U / 2 = 2^(top + 2 count_bits - 52), and exact as multiples of 2^k if that is at most
// 2^(k + 53). So k >= top + 2 count_bits - 105 suffices.
//
// To scan: with |before| <= 2^b, all sums are below 2^y, y = max(b, top + count_bits) + 1. The anchor has a =
// y + 2, so U = 2^(y - 50). `before` is split at U, and its lower part is below U; the sum of the lanes
// before adds two numbers, and then come at most 28 elements. So `low` is below U + 30 U / 2 = 16 U = 2^(y -
// 46), and exact as a multiple of 2^(y - 99), which `before` and the elements must be. (With at most 64
// elements per lane it is below U + 66 U / 2 < 64 U, and they must be multiples of 2^(y - 97).) The result is
// (high - anchor) + low: the subtraction is exact, the addition is the one rounding.
//
// The plain mode. To reduce: sums of elements are multiples of 2^k below 2^(top + count_bits), so doubles
// hold them if k >= top + count_bits - 53. To scan: all sums are below 2^y as before, and the elements must
// be multiples of 2^(y - 53), which implies the condition to reduce. `before` is split there: `high` and all
// sums with it are exact, `low`, a multiple of 2^(y - 99), is the same for all results, and high + low is the
// one rounding. That takes two operations per element, not six.
#pragma once

#include "cuda/device/lane.cuh"
#include "cuda/exact/int192.cuh"
#include "cuda/scan/scan_results.cuh"

namespace foldline::cuda {

/// How a warp sums its elements.
enum class WarpSumMode : std::int8_t { plain, split, integer };

/// A warp's elements are below 2^top and multiples of 2^lowest_bit.
struct WarpExtent {
  int top, lowest_bit;
};

/// The sum of all elements before a warp, as an integer and in the mode of its scan.
struct WarpPrefix {
  Int192 before;  // in units
  double high, low;
  std::int16_t anchor_unit;
  WarpSumMode mode;
};

/// `lowest_bit` of zeros and `top` of non-finite elements: outside any window.
inline constexpr int beyond_windows = 5000;

/// Computes the extent of a warp's elements from their exponents.
template <class T>
class ExtentObserver {
 public:
  __device__ __forceinline__ void observe(T x) {
    if constexpr (is_double) {
      const unsigned high = high_bits(x) * 2;
      highest_ = max(highest_, high);
      lowest_ = min(lowest_, high - (low_bits(x) == 0 ? 1 : 0));
    } else {
      asm("{\n\t.reg .f32 m;\n\tabs.f32 m, %1;\n\tmax.NaN.f32 %0, %0, m;\n\t}" : "+f"(largest_) : "f"(x));
      lowest_ = min(lowest_, __float_as_uint(x) * 2 - 1);
    }
  }
  /// Over the warp. Non-finite elements are outside any window.
  __device__ __forceinline__ WarpExtent combined() const {
    unsigned highest = highest_;
    if constexpr (!is_double) highest = __float_as_uint(largest_) * 2;
    highest = warp_max(highest);
    const unsigned lowest = ~warp_max(~lowest_);
    constexpr int fraction = is_double ? 21 : 24, bias = is_double ? 1023 : 127;
    constexpr int last_place = bias + (is_double ? 52 : 23);
    const int top_field = static_cast<int>(highest >> fraction);
    const int low_field = max(static_cast<int>(lowest >> fraction), 1);
    return {top_field == 2 * bias + 1 ? beyond_windows : max(top_field + 1 - bias, lowest_top),
            lowest == ~0u ? beyond_windows : low_field - last_place};
  }

 private:
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr int lowest_top = -950;
  unsigned highest_ = 0,
           lowest_ =
               ~0u;    // high words without sign, of the smallest minus 1, so that zero becomes the largest
  float largest_ = 0;  // for floats; may be NaN
};

/// If exponents span more bits than this, the lowest bit is computed from the significands: for numbers with
/// few significant bits, such as multiples of 2^-53 in [0, 1), exponents alone underestimate it.
inline constexpr int max_exponent_span = 68;

/// The lowest bit of a warp's elements; a lane has `n` contiguous ones.
template <class T>
__device__ __noinline__ int exact_lowest_bit(const T* elements, int n) {
  int lowest_bit = beyond_windows;
#pragma unroll 2
  for (int i = 0; i < n; ++i) {
    const Decomposed parts = decompose(static_cast<double>(elements[i]));
    if (parts.significand != 0) lowest_bit = min(lowest_bit, last_place(parts));
  }
  return beyond_windows - static_cast<int>(warp_max(static_cast<unsigned>(beyond_windows - lowest_bit)));
}

/// Whether a warp's sums are exact in the plain mode, and in the split mode.
template <class T, int CountBits>
__device__ __forceinline__ bool plain_sums_are_exact(const WarpExtent& extent) {
  return sizeof(T) == 4 && extent.lowest_bit >= extent.top + CountBits - 53;
}
template <int CountBits>
__device__ __forceinline__ bool split_sums_are_exact(const WarpExtent& extent) {
  return extent.lowest_bit >= extent.top + 2 * CountBits - 105;
}
template <int CountBits>
__device__ __forceinline__ double anchor_to_reduce(const WarpExtent& extent) {
  return anchor_of(extent.top + CountBits + 1 - fraction_bits);
}

/// A sum in the plain or split mode, of one lane's elements or of several lanes'.
struct LaneSum {
  double high, low;

  /// The inclusive prefix sum over the lanes.
  __device__ __forceinline__ LaneSum inclusive_scan() const {
    LaneSum sum = *this;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const double below_high = __shfl_up_sync(all_lanes, sum.high, distance);
      const double below_low = __shfl_up_sync(all_lanes, sum.low, distance);
      if (lane() >= distance) sum = {Add(sum.high, below_high), Add(sum.low, below_low)};
    }
    return sum;
  }
  __device__ __forceinline__ LaneSum warp_total() const {
    LaneSum sum = *this;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
      sum = {Add(sum.high, __shfl_xor_sync(all_lanes, sum.high, distance)),
             Add(sum.low, __shfl_xor_sync(all_lanes, sum.low, distance))};
    return sum;
  }
  __device__ __forceinline__ LaneSum to_exclusive(const LaneSum& own) const {
    return {Sub(high, own.high), Sub(low, own.low)};
  }
  __device__ __forceinline__ Int192 in_units(int unit) const {
    return int192_of(high, unit) + int192_of(low, unit);
  }
};

/// By a lane: the prefix of a warp's scan, for `PerLane` elements per lane. `must_be_integer` excludes the
/// other modes.
template <class T, int CountBits, int PerLane>
__device__ __forceinline__ WarpPrefix warp_prefix(const Int192& before, int unit, const WarpExtent& extent,
                                                  bool must_be_integer) {
  constexpr int lowest_y = -890, highest_y = 1000;
  static_assert(PerLane <= 64);
  constexpr int digits = PerLane <= 28 ? 99 : 97;  // bits below 2^y that two parts hold
  WarpPrefix prefix{before, 0, 0, 0, WarpSumMode::integer};
  const int bound = unit + bit_length(before);
  // Not so low that the last places would be subnormal.
  const int y = max(max(bound, extent.top + CountBits) + 1, lowest_y);
  const int min_lowest_bit = y - digits;
  if (must_be_integer || extent.lowest_bit < min_lowest_bit || y > highest_y) return prefix;
  const bool plain = sizeof(T) == 4 && extent.lowest_bit >= y - 53;
  // In units: where `high` ends and `low` begins, and where `low` ends.
  const int high_at = y - (plain ? 53 : 50) - unit, low_at = min_lowest_bit - unit;
  prefix.anchor_unit = static_cast<std::int16_t>(y + 2 - fraction_bits);
  const auto scaled = [](std::uint64_t count, int exponent) {
    return static_cast<double>(static_cast<std::int64_t>(count)) * power_of_two(exponent);
  };
  if (high_at <= 0) {
    prefix.high = scaled(before.word[0], unit);
  } else {
    if (low_at > 0 && !is_multiple(before, low_at)) return prefix;
    const int cut = max(low_at, 0);
    const std::uint64_t low = shift_right(before, cut) & ((std::uint64_t{1} << (high_at - cut)) - 1);
    prefix.high = scaled(shift_right(before, high_at), unit + high_at);
    prefix.low = scaled(low, unit + cut);
  }
  if (plain) {
    prefix.mode = WarpSumMode::plain;
    return prefix;
  }
  prefix.high = Add(anchor_of(prefix.anchor_unit), prefix.high);
  prefix.mode = WarpSumMode::split;
  return prefix;
}

/// Calls f with the sum that a lane's scan starts from, in the plain or split mode; `before` is the sum of
/// the lanes before.
template <class T, class F>
__device__ __forceinline__ void with_sum_before_lane(const WarpPrefix& prefix, const LaneSum& before,
                                                     const F& f) {
  if constexpr (sizeof(T) == 4)
    if (prefix.mode == WarpSumMode::plain) return f(PlainSum{Add(prefix.high, before.high), prefix.low});
  SplitSum sum{prefix.high, prefix.low};
  sum.add(before.high);
  sum.add(before.low);
  f(AnchoredSum{sum, anchor_of(prefix.anchor_unit)});
}

}  // namespace foldline::cuda
