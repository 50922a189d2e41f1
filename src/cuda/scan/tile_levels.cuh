// Decides exactly those results that three doubles leave undecided, such as sums next to a midpoint of two
// numbers.
//
// All numbers are read as infinite two's complement, 64 bits at a time from the top. After each such level,
// the sum of an undecided result is known as a count of the level's unit, rounded down: the error is at least
// 0 and less than one unit for each number added. If both ends of this interval round to the same number,
// that is the result. If a midpoint of two numbers lies in between and the count is long, only the distance
// from that midpoint is kept. Either way the count is short, so the 64 bits of the next level can be
// appended.
#pragma once

#include "arithmetic/rounding.hpp"
#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/tile_elements.cuh"

namespace foldline::cuda {

struct LevelsScratch {
  std::int64_t row[scan_rows];  // of the sum before
  Int192 total[tile_warps];
  unsigned long long used;  // bit mask of the levels with digits other than copies of the sign
};

/// Bits 2^unit to 2^(unit + 63) of a number in two's complement.
__device__ __forceinline__ std::uint64_t level_of(const Decomposed& x, int unit) {
  const int shift = x.exponent - unit;
  std::uint64_t bits = 0;
  bool is_more = false;  // non-zero bits below
  if (shift >= 0) {
    if (shift < 64) bits = x.significand << shift;
  } else if (shift > -64) {
    bits = x.significand >> -shift;
    is_more = (x.significand & ((std::uint64_t{1} << -shift) - 1)) != 0;
  } else {
    is_more = x.significand != 0;
  }
  if (!x.negative) return bits;
  return is_more ? ~bits : ~bits + 1;
}

__device__ __forceinline__ Int192 shifted_by_word(const Int192& a) { return {0, a.word[0], a.word[1]}; }

/// a * 2^unit, rounded once.
__device__ inline double rounded_to(const Int192& a, int unit, const FloatFormat& format) {
  const bool negative = a.is_negative();
  const Int192 magnitude = negative ? Int192{} - a : a;
  std::uint64_t top = magnitude.word[2], middle = magnitude.word[1], low = magnitude.word[0];
  int exponent = unit + 128;
  for (int i = 0; i < 2 && top == 0; ++i) top = middle, middle = low, low = 0, exponent -= 64;
  if (top == 0) return 0;
  const int zeros = leading_zeros(top);
  const std::uint64_t leading = top << zeros | middle >> 1 >> (63 - zeros);
  return round(negative, {leading, exponent - zeros, (middle << zeros | low) != 0}, format);
}

/// A result that is not decided yet.
class UndecidedResult {
 public:
  /// Moves on to the next level, at which all numbers together contribute `sum` units.
  __device__ void descend(const Int192& sum) { count_ = shifted_by_word(count_) + sum; }

  /// Returns true if the result is decided. `is_exact`: all bits below the level's unit are zero.
  __device__ bool decide(int unit, bool is_exact, const FloatFormat& format, double& result) {
    if (!has_midpoint_) {
      if (!is_exact && bit_length(count_) < enough_bits) return false;
      const double lower = rounded_to(count_, unit, format);
      result = lower;
      if (is_exact) return true;
      const double upper = rounded_to(count_ + Int192{numbers, 0, 0}, unit, format);
      if (bits_of(lower) == bits_of(upper)) return true;
      keep_distance(unit, format);
      below_ = lower;
      above_ = upper;
    }
    const auto difference = static_cast<std::int64_t>(count_.word[0]);
    const bool is_small =
        count_.word[1] == count_.word[2] && count_.word[1] == static_cast<std::uint64_t>(difference >> 63);
    const bool is_negative = count_.is_negative();
    if (!is_negative && (count_.word[0] | count_.word[1] | count_.word[2]) != 0) {
      result = above_;
      return true;
    }
    if (is_negative && (is_exact || !is_small || difference <= -static_cast<std::int64_t>(numbers))) {
      result = below_;
      return true;
    }
    result = midpoint_;
    return is_exact;
  }

 private:
  /// The numbers that are added to a sum: those of a tile, and the sum before.
  static constexpr std::uint64_t numbers = float_tile + 1;
  /// With this many bits, the unit is far below the last place of any format and a midpoint is far from
  /// powers of two. Fewer bits fit in an Int192 together with those of the next level.
  static constexpr int enough_bits = 80;

  __device__ void keep_distance(int unit, const FloatFormat& format) {
    // Midpoints are the odd multiples of this.
    const int half_place = max(bit_length(count_) - format.precision, format.min_exponent - unit) - 1;
    const int unused = 64 - min(half_place, 64);
    const auto difference = static_cast<std::int64_t>(count_.word[0] << unused) >> unused;
    const Int192 rest = int192_of(static_cast<Int128>(difference));
    midpoint_ = rounded_to(count_ - rest, unit, format);
    count_ = rest;
    has_midpoint_ = true;
  }

  Int192 count_{};  // distance from the midpoint, if there is one
  double below_ = 0, midpoint_ = 0, above_ = 0;
  bool has_midpoint_ = false;
};

/// Marks the levels below `highest` in which an element or the sum before has digits.
template <Elements Kind>
__device__ void mark_levels(const TileWords<Kind>& words, const std::uint64_t (&element)[tile_per_thread],
                            const CarryDigits& before, int highest, LevelsScratch& scratch) {
  static_assert(SumLimbs::count <= 2 * 64);
  unsigned long long used = 0;
#pragma unroll 1
  for (const std::uint64_t word : element) {
    const Decomposed x = words.decomposed(word);
    if (x.significand == 0) continue;
    const int lowest = x.exponent - SumLimbs::first_exponent;
    used |= 1ull << (lowest / 64) | 1ull << ((lowest + 63 - leading_zeros(x.significand)) / 64);
  }
  if (static_cast<int>(threadIdx.x) < highest) {
    const int level = static_cast<int>(threadIdx.x);
    const std::uint64_t digits = before.floor_of_quotient(SumLimbs::first_exponent + 64 * level);
    const std::uint64_t signs = before.sign() != 0 ? ~std::uint64_t{0} : 0;
    if (digits != signs) used |= 1ull << level;
  }
  for (int distance = 16; distance > 0; distance /= 2) used |= __shfl_xor_sync(all_lanes, used, distance);
  if (lane() == 0) atomicOr(&scratch.used, used);  // once per warp: 64-bit atomics on shared memory serialise
}

/// Decides the results before index `end` of a tile whose bits are set in `open`; all threads call. All
/// numbers are below 2^y and multiples of 2^lowest_bit. Normalises the scratch memory's row. Rarely run, so
/// no loop is unrolled.
template <Elements Kind>
__device__ __noinline__ void decide_by_levels(const ScanJob& job, int tile, const FloatFormat& format, int y,
                                              int lowest_bit, int end, unsigned open, Staged<Kind>* results,
                                              LevelsScratch& scratch) {
  if (threadIdx.x == 0) {
    normalise(scratch.row);
    scratch.used = 0;
  }
  const TileWords<Kind> words{job.x};
  const int in_tile = static_cast<int>(threadIdx.x) * tile_per_thread;
  const std::int64_t first = std::int64_t{tile} * float_tile + in_tile;
  std::uint64_t element[tile_per_thread];
#pragma unroll 1
  for (int k = 0; k < tile_per_thread; ++k) {
    element[k] = in_tile + k < end ? words.at(first + k) : 0;
    if (Kind != Elements::integers && !is_finite(element[k])) element[k] = 0;
  }
  UndecidedResult result[tile_per_thread];
  __syncthreads();
  const CarryDigits before{scratch.row};

  const auto descend = [&](const Int192& from_before, const auto& level) {
    Int192 own{};
#pragma unroll 1
    for (const std::uint64_t word : element) own = own + level(words.decomposed(word));
    const Int192 up_to = inclusive_warp_scan(own, 32);
    if (lane() == 31) scratch.total[warp()] = up_to;
    __syncthreads();
    if (!__any_sync(all_lanes, open != 0)) return;
    Int192 sum = from_before + (up_to - own);
    for (int w = 0; w < warp(); ++w) sum = sum + scratch.total[w];
#pragma unroll 1
    for (int k = 0; k < tile_per_thread; ++k) {
      const Int192 next = sum + level(words.decomposed(element[k]));
      if ((open >> k & 1) != 0) result[k].descend(job.exclusive ? sum : next);
      sum = next;
    }
  };
  // Above all numbers there are only their signs.
  constexpr Int192 minus_one{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  descend(before.sign() != 0 ? minus_one : Int192{},
          [&](const Decomposed& x) { return x.negative && x.significand != 0 ? minus_one : Int192{}; });
  // Levels are numbered from the lowest.
  int level = (y - SumLimbs::first_exponent + 64) / 64;
  mark_levels<Kind>(words, element, before, level, scratch);
  int empty = 0;  // consecutive levels without digits
  bool is_any_open = true;
  while (is_any_open) {
    --level;
    __syncthreads();
    const unsigned long long used_from_here = scratch.used & ((2ull << level) - 1);
    empty = (scratch.used >> level & 1) != 0 ? 0 : empty + 1;
    // After some levels without digits nothing changes until the next level with digits.
    if (empty > 3 && used_from_here != 0) {
      level = 63 - __clzll(static_cast<long long>(used_from_here));
      empty = 0;
    }
    const int unit = SumLimbs::first_exponent + 64 * level;
    descend(Int192{before.floor_of_quotient(unit), 0, 0},
            [&](const Decomposed& x) { return Int192{level_of(x, unit), 0, 0}; });
#pragma unroll 1
    for (int k = 0; k < tile_per_thread; ++k) {
      double decided;
      if ((open >> k & 1) == 0 || !result[k].decide(unit, unit <= lowest_bit, format, decided)) continue;
      results[k] = staged_result<Kind>(decided);
      open &= ~(1u << k);
    }
    is_any_open = __syncthreads_or(open != 0) != 0;
  }
}

}  // namespace foldline::cuda
