// Exact sums of tiles, in rows of limbs.
//
// Elements are split at levels of 48 bits, from the largest down: adding an element to an anchor splits it at
// the anchor's last place, and a thread's accumulator then counts multiples of that. Doubles whose exponents
// would need many levels go to digits in shared memory; if most of them need few levels, only the others do.
// (Floats: tile_sums_of_floats.cuh.)
#pragma once

#include "arithmetic/one_lane.hpp"
#include "arithmetic/windows.hpp"
#include "cuda/exact/digits.cuh"
#include "cuda/scan/tile_elements.cuh"

namespace foldline::cuda {

inline constexpr int digit_copies = 4;

/// Shared memory of a warp.
template <Elements Kind>
struct TileSumScratch {
  Word row[scan_rows];
  int digit[double_digits.count * digit_copies];
};

/// Adds value * 2^exponent to limbs that others may add to as well.
__device__ inline void add_to_rows(Word* row, std::int64_t value, int exponent) {
  const int offset = exponent - SumLimbs::first_exponent;
  const Int128 aligned = static_cast<Int128>(value) << (offset % 32);
  Word* const limb = row + offset / 32;
  const auto low = static_cast<std::uint32_t>(aligned), middle = static_cast<std::uint32_t>(aligned >> 32);
  const auto high = static_cast<std::int64_t>(aligned >> 64);
  if (low != 0) atomicAdd(limb, Word{low});
  if (middle != 0) atomicAdd(limb + 1, Word{middle});
  if (high != 0) atomicAdd(limb + 2, static_cast<Word>(high));
}

/// Counts a thread's infinities and NaN; a warp calls.
template <Elements Kind>
__device__ __forceinline__ void count_in_rows(Word* row, const std::uint64_t (&words)[tile_per_thread]) {
  std::uint64_t counts = 0;
#pragma unroll
  for (const std::uint64_t word : words) counts += counts_of<Kind>(word);
  counts = static_cast<std::uint64_t>(warp_sum(static_cast<std::int64_t>(counts)));
  if (lane() >= other_than_negative_zero_row - nan_row) return;
  const int own = nan_row + lane();
  atomicAdd(&row[own], Word{count_in(counts, own)});
}

/// Moves a warp's rows to `to`, and clears them.
__device__ __forceinline__ void move_rows(Word (&from)[scan_rows], std::int64_t (&to)[scan_rows]) {
  __syncwarp();
  for (int r = lane(); r < scan_rows; r += 32) {
    to[r] = static_cast<std::int64_t>(from[r]);
    from[r] = 0;
  }
  __syncwarp();
}

/// Sums a tile; a warp calls. The scratch memory is zero before and after.
template <Elements Kind>
class TileSum {
 public:
  __device__ TileSum(const ScanJob& job, TileSumScratch<Kind>& scratch) : job_(job), scratch_(scratch) {}

  /// Stores the sum in `row`.
  __device__ __forceinline__ TileExtent store(int tile, std::int64_t (&row)[scan_rows]) const {
    const TileWords<Kind> source{job_.x};
    const std::int64_t begin = std::int64_t{tile} * float_tile;
    const std::int64_t end = min(begin + float_tile, std::int64_t{job_.count});
    TileExtent extent{no_top, no_lowest_bit, false};
    bool has_digits = false;
    for (std::int64_t first = begin; first < end; first += warp_elements) {
      std::uint64_t words[tile_per_thread];
      source.take(first + lane(), 32, end, false, words);
      source.prefetch(first + warp_elements, warp_elements, lane(), end);
      if constexpr (Kind == Elements::integers) {
        extent = {64, 0, false};
        add_integers(words);
      } else {
        add_numbers(words, extent, has_digits);
      }
    }
    if (has_digits) fold_digits();
    __syncwarp();
    if (Kind == Elements::integers && lane() == 0) scratch_.row[other_than_negative_zero_row] = 1;
    move_rows(scratch_.row, row);
    return extent;
  }

 private:
  using Words = std::uint64_t[tile_per_thread];
  using Numbers = double[tile_per_thread];
  /// The high words, without sign, of the largest and smallest of a thread's non-zero numbers; 0 and ~0 if
  /// there are none.
  struct Range {
    unsigned highest, lowest;
  };

  __device__ __forceinline__ void add_numbers(const Words& words, TileExtent& extent,
                                              bool& has_digits) const {
    Numbers x;
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k) x[k] = from_bits(words[k]);
    bool are_normal;
    Range range;
    TileExtent own = extent_of(x, are_normal, range);
    if (own.has_nonfinite) {
      count_in_rows<Kind>(scratch_.row, words);
#pragma unroll
      for (double& t : x)
        if (!is_finite(bits_of(t))) t = 0;
      own = extent_of(x, are_normal, range);
      own.has_nonfinite = true;
    }
    extent.top = max(extent.top, own.top);
    extent.lowest_bit = min(extent.lowest_bit, own.lowest_bit);
    extent.has_nonfinite = extent.has_nonfinite || own.has_nonfinite;
    if (own.top > highest_top || own.top - own.lowest_bit > max_levels * level_bits) {
      has_digits = true;
      const Window window = window_of_majority(range);
      if (__popc(__ballot_sync(all_lanes, window.holds(range))) > 16) {
        spill_outliers(x, window);
        add_levels(x, window.extent);
      } else if (are_normal) {
        add_digits<true>(x);
      } else {
        add_digits<false>(x);
      }
    } else if (own.lowest_bit != no_lowest_bit) {
      add_levels(x, own);
    }
  }

  /// The extent of the warp's numbers. Also records whether any is other than -0, and in `are_normal` whether
  /// all are normal.
  __device__ __forceinline__ TileExtent extent_of(const Numbers& x, bool& are_normal, Range& range) const {
    unsigned highest = 0, lowest = ~0u;  // high words without the sign
    unsigned other_high = 0, low_digits = 0;
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k) {
      const unsigned magnitude = high_bits(x[k]) * 2;
      highest = max(highest, magnitude);
      lowest = min(lowest, magnitude);
      other_high |= high_bits(x[k]) ^ 0x80000000u;
      low_digits |= low_bits(x[k]);
    }
    are_normal = lowest >= 1u << 21 && highest < static_cast<unsigned>(infinite_field) << 21;
    are_normal = __all_sync(all_lanes, are_normal) != 0;
    if (!are_normal) lowest = lowest_but_zero(x);
    range = {highest, lowest};
    if (__any_sync(all_lanes, (other_high | low_digits) != 0) && lane() == 0)
      scratch_.row[other_than_negative_zero_row] = 1;
    const unsigned top = warp_max(highest) >> 21;
    // The largest distance of the exponent fields from 2048, an upper bound of all.
    const unsigned above = warp_max(lowest == ~0u ? 0 : 2048 - max(lowest >> 21, 1u));
    if (above == 0) return {no_top, no_lowest_bit, false};
    TileExtent extent{static_cast<int>(max(top, 1u)) + 1 - exponent_bias,
                      2048 - static_cast<int>(above) - significand_bias, top == infinite_field};
    constexpr unsigned last_digits = 0xff;
    if (extent.lowest_bit < extent.top - max_tile_exponent_span && !extent.has_nonfinite &&
        !__any_sync(all_lanes, (low_digits & last_digits) != 0))
      extent.lowest_bit = exact_lowest_bit(x);
    return extent;
  }
  static __device__ __forceinline__ unsigned lowest_but_zero(const Numbers& x) {
    unsigned lowest = ~0u;
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k)
      if (const unsigned magnitude = high_bits(x[k]) * 2; (magnitude | low_bits(x[k])) != 0)
        lowest = min(lowest, magnitude);
    return lowest;
  }
  static __device__ __forceinline__ int exact_lowest_bit(const Numbers& x) {
    LowestBit lowest;
#pragma unroll
    for (const double t : x) lowest.observe(decompose(t));
    return lowest.of_warp();
  }

  __device__ __forceinline__ void add_integers(const Words& words) const {
    std::int64_t low = 0, high = 0;
#pragma unroll
    for (const std::uint64_t word : words) {
      low += static_cast<unsigned>(word);
      high += job_.x.has_sign ? std::int64_t{static_cast<int>(word >> 32)}
                              : std::int64_t{static_cast<unsigned>(word >> 32)};
    }
    low = warp_sum(low);
    high = warp_sum(high);
    if (lane() < 2) add_to_rows(scratch_.row, lane() == 0 ? low : high, 32 * lane());
  }

  static constexpr int level_bits = 48, max_levels = 12;
  static constexpr int highest_top = 1016, lowest_top = smallest_exponent + level_bits - 1;
  /// A thread's 15 elements of at most 2^top, in units of 2^(top - 47), sum to less than the 2^51 by which an
  /// accumulator may differ from its anchor. The remainder of each is at most half a unit.
  __device__ __forceinline__ void add_levels(Numbers& x, const TileExtent& extent) const {
    std::int64_t own_count = 0;  // of the level whose number equals the lane's
    int own_unit = 0, top = extent.top;
    for (int level = 0;; ++level, top -= level_bits) {
      top = max(top, lowest_top);
      const int unit = top - (level_bits - 1);
      const double anchor = anchor_of(unit);
      double sum = anchor;
#pragma unroll
      for (double& t : x) {
        const double next = one_lane::Add(sum, t);
        t = one_lane::Sub(t, one_lane::Sub(next, sum));
        sum = next;
      }
      const auto count = static_cast<std::int64_t>(bits_of(sum) - bits_of(anchor));
      constexpr int low_bits = 26;
      const int low = warp_sum(static_cast<int>(count & ((1 << low_bits) - 1)));
      const int high = warp_sum(static_cast<int>(count >> low_bits));
      if (lane() == level) {
        own_count = (std::int64_t{high} << low_bits) + low;
        own_unit = unit;
      }
      if (unit <= extent.lowest_bit) break;
    }
    if (own_count != 0) add_to_rows(scratch_.row, own_count, own_unit);
  }
  static_assert(tile_per_thread < 16 && max_levels < 31);

  /// What few levels hold: zeros, and numbers whose high words are in [lowest, lowest + size).
  struct Window {
    TileExtent extent;
    unsigned lowest, size;
    __device__ __forceinline__ bool holds(double t) const {
      return high_bits(t) * 2 - lowest < size || t == 0;
    }
    __device__ __forceinline__ bool holds(const Range& range) const {
      return range.highest < lowest + size && range.lowest >= lowest;
    }
  };
  /// A window around the maximum over threads of their smallest numbers. A few outliers do not change that,
  /// unless a thread has nothing else but zeros.
  __device__ __forceinline__ Window window_of_majority(const Range& range) const {
    constexpr int levels = 3, above = 8;
    const int field = static_cast<int>(warp_max(range.lowest == ~0u ? 0 : range.lowest) >> 21);
    const int top = min(field + 1 - exponent_bias + above, highest_top);
    const int lowest_bit = max(top - (levels * level_bits - 1), smallest_exponent);
    const unsigned lowest =
        lowest_bit == smallest_exponent ? 0 : static_cast<unsigned>(lowest_bit + significand_bias) << 21;
    return {{top, lowest_bit, false}, lowest, (static_cast<unsigned>(top + exponent_bias) << 21) - lowest};
  }
  __device__ __forceinline__ void spill_outliers(Numbers& x, const Window& window) const {
    const Spill<double_digits, digit_copies> spill(scratch_.digit, nullptr);
#pragma unroll
    for (double& t : x) {
      if (window.holds(t)) continue;
      spill.add(t);
      t = 0;
    }
  }

  template <bool AreNormal>
  __device__ __forceinline__ void add_digits(const Numbers& x) const {
    const Spill<double_digits, digit_copies> spill(scratch_.digit, nullptr);
#pragma unroll
    for (const double t : x) spill.template add<AreNormal>(t);
  }
  __device__ __forceinline__ void fold_digits() const {
    __syncwarp();
    for (int i = lane(); i < double_digits.count; i += 32) {
      int sum = 0;
#pragma unroll
      for (int k = 0; k < digit_copies; ++k) {
        int& slot = scratch_.digit[i * digit_copies + k];
        sum += slot;
        slot = 0;
      }
      if (sum != 0) add_to_rows(scratch_.row, sum, double_digits.first_exponent + digit_bits * i);
    }
  }
  // Each element of a tile adds less than 2^16, or its sign, to a digit: the sums fit in 32 bits.
  static_assert(float_tile < 1 << 15);

  const ScanJob& job_;
  TileSumScratch<Kind>& scratch_;
};

}  // namespace foldline::cuda
