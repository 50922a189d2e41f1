// The scan of a tile from the exact sum before it, correctly rounded.
//
// Running sums are three doubles (tile_frame.cuh), which are usually exact. Then the two lower doubles are
// combined by rounding to odd, which preserves all information for the one rounding that follows, ties
// included (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). Otherwise a result is
// certain if both ends of an error interval round to it; the rest is decided by tile_levels.cuh.
#pragma once

#include "arithmetic/rounding.hpp"
#include "cuda/scan/tile_frame.cuh"
#include "cuda/scan/tile_levels.cuh"
#include "cuda/scan/tiles_ahead.cuh"

namespace foldline::cuda {

template <Elements Kind>
struct TileScanScratch {
  RunningSum<has_middle<Kind>> total[tile_warps];
  unsigned largest_below[tile_warps];
  unsigned maximum[3][tile_warps];
  std::int64_t counts[tile_warps];
  LevelsScratch levels;
};

/// Results after infinities or NaN, and of -0 alone.
template <Elements Kind>
__device__ __noinline__ void store_special_results(const ScanJob& job, int tile,
                                                   const TileFrame<has_middle<Kind>>& frame,
                                                   TileScanScratch<Kind>& scratch, Staged<Kind>* staged) {
  __syncthreads();
  const TileWords<Kind> words{job.x};
  const int in_tile = static_cast<int>(threadIdx.x) * tile_per_thread;
  const std::int64_t first = std::int64_t{tile} * float_tile + in_tile;
  const auto elements = static_cast<int>(min(std::int64_t{tile_per_thread}, job.count - first));
  std::uint64_t own = 0;
  for (int k = 0; k < elements; ++k) own += counts_of<Kind>(words.at(first + k));
  std::int64_t total;
  auto counts = static_cast<std::uint64_t>(
      exclusive_block_scan<tile_threads>(static_cast<std::int64_t>(own), scratch.counts, total));
  for (int k = 0; k < elements; ++k) {
    const std::uint64_t in_element = counts_of<Kind>(words.at(first + k));
    if (!job.exclusive) counts += in_element;
    const auto has = [&](int row) {
      return (frame.has_special >> (row - nan_row) & 1) != 0 || count_in(counts, row) != 0;
    };
    const bool is_positive = has(positive_infinity_row), is_negative = has(negative_infinity_row);
    Staged<Kind>& result = staged[in_tile + k];
    if (has(nan_row) || (is_positive && is_negative))
      result = staged_result<Kind>(from_bits(canonical_nan));
    else if (is_positive || is_negative)
      result = staged_result<Kind>(from_bits(infinity_bits | (is_negative ? sign_bit : 0)));
    else if (!frame.has_other_than_negative_zero && count_in(counts, other_than_negative_zero_row) == 0)
      result = staged_result<Kind>(-0.0);
    if (job.exclusive) counts += in_element;
  }
}

/// Scans a tile; all threads call. The sum before is in the limbs row(r).
template <Elements Kind>
class TileScan {
  using Frame = TileFrame<has_middle<Kind>>;
  using Sum = RunningSum<has_middle<Kind>>;
  using Scratch = TileScanScratch<Kind>;

 public:
  /// The tile's elements are staged already.
  __device__ TileScan(const ScanJob& job, int tile, const FloatFormat& format, Frame& frame, Scratch& scratch,
                      Staged<Kind>* staged)
      : job_(job), tile_(tile), format_(format), frame_(frame), scratch_(scratch), staged_(staged) {}

  /// Undecided results are usually small ones before large elements: these are scanned again without the
  /// elements that follow them.
  template <class Row>
  __device__ __forceinline__ void run(const Row& row) const {
    const bool is_finite_tile = !frame_.has_nonfinite && frame_.has_special == 0;
    const bool is_special = !is_finite_tile || !frame_.has_other_than_negative_zero;
    int end = static_cast<int>(min(std::int64_t{float_tile}, job_.count - first_of_tile()));
    for (int attempt = 0;; ++attempt) {
      if (attempt == 0) {
        make_finite_and_scaled();
      } else {
        stage_elements<Kind>(job_, tile_, end, staged_);
        renew_frame(row);
      }
      const unsigned open = scan() & ((1u << elements_of_thread(end)) - 1);
      if (!__syncthreads_or(open != 0)) break;
      const int open_end = end_of_open(open);
      if (open_end == end || attempt == max_attempts || !is_finite_tile || Kind == Elements::integers) {
        decide(row, open, end);
        break;
      }
      store(open_end, end);  // none of these is -0: either all results before the first other element are
                             // undecided, or none
      __syncthreads();
      end = open_end;
    }
    if (is_special) store_special_results<Kind>(job_, tile_, frame_, scratch_, staged_);
    __syncwarp();
    store(0, end);
    __syncwarp();
  }

 private:
  /// Floats are far from the overflow of double. If the sum before is not, no result is a finite float,
  /// scaled or not.
  static constexpr bool may_be_scaled = Kind != Elements::float32;
  /// Each attempt leaves about a tenth of the elements, if their magnitudes are random.
  static constexpr int max_attempts = 8;

  __device__ __forceinline__ std::int64_t first_of_tile() const { return std::int64_t{tile_} * float_tile; }
  static __device__ __forceinline__ int elements_of_thread(int end) {
    return max(0, min(tile_per_thread, end - static_cast<int>(threadIdx.x) * tile_per_thread));
  }
  __device__ __forceinline__ Staged<Kind>* own_staged() const {
    return staged_ + static_cast<int>(threadIdx.x) * tile_per_thread;
  }

  /// Replaces infinities and NaN by zero. Integers are scaled when they are added.
  __device__ __forceinline__ void make_finite_and_scaled() const {
    if constexpr (Kind != Elements::integers) {
      Staged<Kind>* const own = own_staged();
      if (frame_.has_nonfinite) {
#pragma unroll 1
        for (int k = 0; k < tile_per_thread; ++k)
          if (!is_finite(own[k])) own[k] = 0;
      }
      if (may_be_scaled && frame_.is_scaled) scale();
    }
  }
  __device__ __forceinline__ void scale() const {
    Staged<Kind>* const own = own_staged();
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k)
      own[k] = bits_of(number_in(own[k]) * power_of_two(-frame_scaling));
  }
  /// Stores results from `begin` to `end` of the tile.
  __device__ __forceinline__ void store(int begin, int end) const {
    const Staged<Kind>* const source = staged_ + warp() * warp_elements + lane();
    const int first = warp() * warp_elements + lane();
    const std::int64_t step = 32 * job_.out.step;
    std::byte* target = job_.out.first + (first_of_tile() + first) * job_.out.step;
    __builtin_assume(__isGlobal(target));
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k, target += step) {
      if (first + 32 * k < begin || first + 32 * k >= end) continue;
      const Staged<Kind> word = source[32 * k];
      if constexpr (Kind == Elements::float64 || Kind == Elements::float32)
        *reinterpret_cast<Staged<Kind>*>(target) = word;
      else
        job_.out.store_at(target, encoded(from_bits(word), job_.out.type));
    }
  }

  /// One more than the index of the last undecided result in the tile.
  __device__ __forceinline__ int end_of_open(unsigned open) const {
    const int own = static_cast<int>(threadIdx.x) * tile_per_thread + 32 - __clz(static_cast<int>(open));
    return static_cast<int>(
        block_max<tile_threads>(open != 0 ? static_cast<unsigned>(own) : 0, scratch_.maximum[0]));
  }

  /// Recomputes the frame for the remaining elements, which are not scaled yet.
  template <class Row>
  __device__ __forceinline__ void renew_frame(const Row& row) const {
    unsigned top = 0, above = 0;
    Staged<Kind>* const own = own_staged();
#pragma unroll 1
    for (int k = 0; k < tile_per_thread; ++k) {
      const Decomposed parts = decompose(number_in(own[k]));
      if (parts.significand == 0) continue;
      top = max(top, static_cast<unsigned>(parts.exponent + 64 - leading_zeros(parts.significand) - no_top));
      above = max(above, static_cast<unsigned>(no_lowest_bit - last_place(parts)));
    }
    top = block_max<tile_threads>(top, scratch_.maximum[1]);
    above = block_max<tile_threads>(above, scratch_.maximum[2]);
    if (warp() == 0) {
      const Frame frame = frame_of<has_middle<Kind>>(
          row, {no_top + static_cast<int>(top), no_lowest_bit - static_cast<int>(above), false});
      __syncwarp();
      if (lane() == 0) frame_ = frame;
    }
    __syncthreads();
    if (may_be_scaled && frame_.is_scaled) scale();
  }

  template <class Row>
  __device__ __forceinline__ void decide(const Row& row, unsigned open, int end) const {
    const auto r = static_cast<int>(threadIdx.x);
    if (r < scan_rows) scratch_.levels.row[r] = row(r);
    __syncthreads();
    decide_by_levels<Kind>(job_, tile_, format_, frame_.y, frame_.lowest_bit, end, open, own_staged(),
                           scratch_.levels);
  }

  /// Replaces elements by results. Returns a bit mask of the thread's undecided results.
  __device__ __forceinline__ unsigned scan() const {
    const Staged<Kind>* const own = own_staged();
    const Sum anchors = frame_.anchors;
    Sum sum = anchors;
    unsigned largest = 0;
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k) add_staged(own[k], sum, largest);
    largest = warp_max(largest);
    if (lane() == 31) scratch_.largest_below[warp()] = largest;
    sum = anchors + sum_before(sum - anchors);
    largest = warp_max(scratch_.largest_below[lane() % tile_warps]);
    return frame_.has_exact_low(exponent_above(largest)) ? results<true>(sum, anchors)
                                                         : results<false>(sum, anchors);
  }

  /// `largest`: maximum of the high words of what was added to `low`.
  __device__ __forceinline__ void add_staged(Staged<Kind> word, Sum& sum, unsigned& largest) const {
    const auto add_part = [&](double x) { largest = max(largest, high_bits(sum.add(x)) & 0x7fffffffu); };
    if constexpr (Kind != Elements::integers) {
      add_part(number_in(word));
    } else {
      const auto high = static_cast<unsigned>(word >> 32);
      const double scale = frame_.is_scaled ? power_of_two(-frame_scaling) : 1;
      add_part((job_.x.has_sign ? static_cast<double>(static_cast<int>(high)) : static_cast<double>(high)) *
               (0x1p32 * scale));
      add_part(static_cast<double>(static_cast<unsigned>(word)) * scale);
    }
  }

  /// The sum of all elements before the thread's.
  __device__ __forceinline__ Sum sum_before(const Sum& own) const {
    Sum up_to = own;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const Sum below = up_to.of_lane([&](double x) { return __shfl_up_sync(all_lanes, x, distance); });
      if (lane() >= distance) up_to = up_to + below;
    }
    if (lane() == 31) scratch_.total[warp()] = up_to;
    Sum before = up_to.of_lane([](double x) { return __shfl_up_sync(all_lanes, x, 1); });
    if (lane() == 0) before = {0, 0, 0};
    __syncthreads();
    before = before + frame_.before;
    for (int w = 0; w < warp(); ++w) before = before + scratch_.total[w];
    return before;
  }

  template <bool IsExact>
  __device__ __forceinline__ unsigned results(Sum sum, const Sum& anchors) const {
    Staged<Kind>* const own = own_staged();
    const double error = frame_.error;
    const double scale = may_be_scaled && frame_.is_scaled ? power_of_two(frame_scaling) : 1;
    unsigned open = 0, largest = 0;
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k) {
      add_staged(own[k], sum, largest);
      if (!round_sum<IsExact>(sum - anchors, error, scale, own[k])) open |= 1u << k;
    }
    return open;
  }

  /// Rounds a sum that is exact, or known up to an error, times the scale. Returns true if the result is
  /// certain.
  template <bool IsExact>
  __device__ __forceinline__ bool round_sum(const Sum& sum, double error, double scale,
                                            Staged<Kind>& result) const {
    using one_lane::Add, one_lane::Sub;
    const bool to_double = Kind == Elements::float64 ||
                           (Kind != Elements::float32 && format_.precision == format_of_double.precision);
    double high = sum.high, rest = 0;
    if constexpr (has_middle<Kind>) {
      high = Add(sum.high, sum.middle);
      const double middle_taken = Sub(high, sum.high);
      rest = Add(Sub(sum.high, Sub(high, middle_taken)), Sub(sum.middle, middle_taken));
    }
    if constexpr (IsExact) {
      const double odd = has_middle<Kind> ? sum_to_odd(rest, sum.low) : sum.low;
      if constexpr (Kind != Elements::float32)
        if (to_double) return result = bits_of(Add(high, odd) * scale), true;
      result = narrowed(sum_to_odd(high, odd), scale);
      return true;
    }
    double lower = __dadd_rd(sum.low, -error), upper = __dadd_ru(sum.low, error);
    if constexpr (has_middle<Kind>) lower = __dadd_rd(rest, lower), upper = __dadd_ru(rest, upper);
    if constexpr (Kind != Elements::float32)
      if (to_double) {
        const double rounded = Add(high, upper);
        result = bits_of(rounded * scale);
        return rounded == Add(high, lower);
      }
    result = narrowed(__dadd_ru(high, upper), scale);
    return is_same(result, narrowed(__dadd_rd(high, lower), scale));
  }
  /// a + b rounded to odd: exact, or the neighbour whose last bit is set. Zero gives +0.
  static __device__ __forceinline__ double sum_to_odd(double a, double b) {
    const double below = __dadd_rd(a, b), above = __dadd_ru(a, b);
    return (low_bits(below) & 1) != 0 && below != above ? below : above;
  }
  /// Rounds to the results' type, which is narrower than double.
  __device__ __forceinline__ Staged<Kind> narrowed(double x, double scale) const {
    if constexpr (Kind == Elements::float32) {
      return __double2float_rn(x);
    } else {
      x *= scale;
      const Decomposed parts = decompose(x);
      if (parts.significand == 0 || !is_finite(bits_of(x))) return bits_of(x);
      return bits_of(round(parts.negative, {parts.significand, parts.exponent, false}, format_));
    }
  }
  static __device__ __forceinline__ bool is_same(std::uint64_t a, std::uint64_t b) { return a == b; }
  static __device__ __forceinline__ bool is_same(float a, float b) {
    return __float_as_uint(a) == __float_as_uint(b);
  }

  const ScanJob& job_;
  const int tile_;
  const FloatFormat& format_;
  Frame& frame_;
  Scratch& scratch_;
  Staged<Kind>* const staged_;  // elements, then results
};

}  // namespace foldline::cuda
