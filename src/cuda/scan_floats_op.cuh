// What a pipeline does with floats and doubles, whose results are of their own type, correctly rounded.
//
// Tiles' sums are integers: counts of 2^unit, the same unit in the whole launch. Within a warp there are
// three ways. The plain one, of floats alone, adds doubles that are exact. The narrow one adds doubles, too:
// an anchor's last place splits each element in two parts, and the sums of either part are exact. The wide
// one, where that does not hold, adds integers of 192 bits element by element and rounds them.
//
// The constants of the narrow way. A warp has at most 2^count_bits elements, all below 2^top and multiples of
// 2^place. A number is added to `high`, which begins at an anchor 1.5 * 2^a and so has the last place
// U = 2^(a - 52) while it stays within 2^(a - 1) of the anchor; what that rounds away, at most U / 2, is
// found exactly (by Sterbenz's lemma, as in bins) and added to `low`.
//
// To reduce: a = top + count_bits + 1. Sums of elements are below 2^(a - 1), so `high` stays, and the sum
// over the warp of all that is in `high`, multiples of U below 2^a, is exact. The sums of `low` are at most
// 2^count_bits * U / 2 = 2^(top + 2 count_bits - 52), and exact as multiples of 2^place if that is at most
// 2^(place + 53). So place >= top + 2 count_bits - 105 will do.
//
// To scan: with |before| <= 2^b, all sums are below 2^y, y = max(b, top + count_bits) + 1. The anchor's a is
// y + 2, U = 2^(y - 50). `before` is split at U, and the lower part is below U; the lanes before it are two
// numbers, and then come at most 28 elements. So `low` is below U + 30 U / 2 = 16 U = 2^(y - 46), and exact
// as a multiple of 2^(y - 99), which `before` and the elements must be. The result is (high - anchor) + low:
// the first is exact, the second the one rounding.
//
// The plain way. To reduce: sums of elements are multiples of 2^place below 2^(top + count_bits), so doubles
// hold them if place >= top + count_bits - 53. To scan: all sums are below 2^y as before, and the elements
// multiples of 2^(y - 53), which implies the first. `before` is split there: `high` and all that is added to
// it are exact, `low`, a multiple of 2^(y - 99), is the same for all results, and high + low the one
// rounding. That takes two operations for each element instead of six: 2^29 floats on an H200 are
// scanned 1.19 times as fast as by CUB instead of 1.15 times.
#pragma once

#include "cuda/carry_limbs.cuh"
#include "cuda/scan_pipeline.cuh"
#include "cuda/scan_results.cuh"

namespace foldline::cuda {

/// How a warp's elements are added up.
enum class Way : std::int8_t { plain, narrow, wide };

/// Elements of a warp are below 2^top and multiples of 2^place.
struct WarpExtent {
  int top, place;
};

template <class T>
struct ScanOfFloats {
  using Element = T;
  // Of doubles six stages of 35 KB, of floats five of 43 KB, whose threads have more to do beside reading and
  // writing. (Of each all others that were tried are slower: doubles in stages of 43 KB, or of 40 KB by 512
  // threads, by 6%, floats in seven stages of 32 KB by 5%.)
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr int threads = is_double ? 320 : 384, quads = 7, stages = is_double ? 6 : 5;
  static constexpr int distance = is_double ? 3 : 2;
  static constexpr int count_bits = is_double ? 9 : 10;
  static_assert(32 * quads * 16 / sizeof(T) <= 1 << count_bits);
  static_assert(quads * 16 / sizeof(T) <= 28);

  using Sum = ExactSum;
  using Before = ExactBefore;
  static constexpr T absent = 0;
  struct Window {
    Wide before;
    int unit, highest;
    bool is_open;
  };
  /// A sum in either way: in units, or high and low as words 0 and 1.
  using Parts = Wide;
  struct Total {
    Parts sum;
    WarpExtent extent;
    bool is_wide;
  };
  struct Kept {
    Parts before;  // the lanes before
  };
  struct Start {
    Wide before;  // in units
    double high, low;
    std::int16_t anchor_unit;
    Way way;
    bool reduced_wide;  // what is kept
    bool known;
  };

#if __CUDA_ARCH__ >= 900
  static constexpr bool samples = true;
  static constexpr bool may_fail = true;
  /// The high half of the largest of some finite elements, which all are on their way before one is there.
  static __device__ __forceinline__ unsigned sample(const PipelineJob& job) {
    constexpr int at_once = 4;
    const auto* const x = reinterpret_cast<const T*>(job.x);
    const int rounds = job.count < (1 << 26) ? 1 : 2;
    const auto step =
        ~std::uint64_t{0} / static_cast<unsigned>(threads * at_once) / static_cast<unsigned>(rounds);
    unsigned largest = 0;
    for (int round = 0; round < rounds; ++round) {
      T taken[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const auto place = static_cast<unsigned>((round * at_once + i) * threads) + threadIdx.x;
        taken[i] = x[__umul64hi(place * step, static_cast<std::uint64_t>(job.count))];
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const unsigned magnitude = high_bits(static_cast<double>(taken[i])) & 0x7fffffffu;
        if (magnitude < 0x7ff00000u) largest = max(largest, magnitude);
      }
    }
    return largest;
  }

  /// Above what the sample and the sum before take, as the first block sees them. (Every block by itself
  /// might sample what another has overwritten.)
  static __device__ __forceinline__ Window open(const PipelineJob& job, unsigned epoch, unsigned largest) {
    Window window;
    if (blockIdx.x == 0) {
      window = window_above(job, largest);
      if (lane() == 0)
        put_window(job.workspace->window, window.before, window.unit, window.highest, epoch, !window.is_open);
    } else {
      window.is_open =
          wait_for_window(job.workspace->window, window.before, window.unit, window.highest, epoch);
    }
    return window;
  }

  template <int N>
  static __device__ __forceinline__ void reduce(const T (&x)[N], const T* elements,
                                                PipelineOpening<ScanOfFloats>& opening, Kept& kept,
                                                Total& total) {
    WarpExtent extent = extent_of(x);
    if (extent.place < extent.top - usual_bits) extent.place = true_place<N>(elements);
    // Without the window, which is not there yet for the first tile.
    const bool narrow = extent.place >= extent.top + 2 * count_bits - 105;
    Parts up_to{};
    if (!is_double && extent.place >= extent.top + count_bits - 53) {
      double sum = 0;
#pragma unroll
      for (int i = 0; i < N; ++i) sum = Add(sum, static_cast<double>(x[i]));
      const double own = sum;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const double below = __shfl_up_sync(all_lanes, sum, distance);
        if (lane() >= distance) sum = Add(sum, below);
      }
      kept.before = parts(Sub(sum, own), 0);
      up_to = parts(sum, 0);
    } else if (narrow) {
      const double anchor = anchor_of(extent.top + count_bits + 1 - fraction_bits);
      SplitSum own{anchor, 0};
#pragma unroll
      for (int i = 0; i < N; ++i) own.add(static_cast<double>(x[i]));
      const double own_high = Sub(own.high, anchor), own_low = own.low;
      double high = own_high, low = own_low;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const double below_high = __shfl_up_sync(all_lanes, high, distance);
        const double below_low = __shfl_up_sync(all_lanes, low, distance);
        if (lane() >= distance) high = Add(high, below_high), low = Add(low, below_low);
      }
      kept.before = parts(Sub(high, own_high), Sub(low, own_low));
      up_to = parts(high, low);
    } else if (const Window& window = opening.wait(); holds(window, extent)) {
      const Wide own = sum_of_elements<N>(elements, window.unit);
      up_to = sum_up_to_lane(own, 32);
      kept.before = up_to - own;
    }
    if (lane() == 31) total = {up_to, extent, !narrow};
  }

  static __device__ Sum sum_of(const Total& total, const Window& window, bool& failed) {
    if (!holds(window, total.extent)) {
      failed = true;
      return {};
    }
    return {total.is_wide ? total.sum : in_units(total.sum, window.unit)};
  }

  static __device__ Start begin(const Before& before_tile, const Sum& of_warps, const Total& total,
                                const Window& window) {
    const Wide before = before_tile.sum() + of_warps.value;
    Start start{before, 0, 0, 0, Way::wide, total.is_wide, true};
    const int bound = window.unit + bit_length(before);
    // Not so low that the last places below would be no normal doubles.
    const int y = max(max(bound, total.extent.top + count_bits) + 1, lowest_y);
    const int lowest_place = y - 99;
    if (total.is_wide || total.extent.place < lowest_place || y > highest_y) return start;
    const bool plain = !is_double && total.extent.place >= y - 53;
    // In units: where `high` ends and `low` begins, and where that ends.
    const int high_at = y - (plain ? 53 : 50) - window.unit, low_at = lowest_place - window.unit;
    start.anchor_unit = static_cast<std::int16_t>(y + 2 - fraction_bits);
    if (high_at <= 0) {
      start.high = scaled(before.word[0], window.unit);
    } else {
      if (low_at > 0 && !is_multiple(before, low_at)) return start;
      const int cut = max(low_at, 0);
      const std::uint64_t low = shifted_down(before, cut) & ((std::uint64_t{1} << (high_at - cut)) - 1);
      start.high = scaled(shifted_down(before, high_at), window.unit + high_at);
      start.low = scaled(low, window.unit + cut);
    }
    if (plain) {
      start.way = Way::plain;
      return start;
    }
    start.high = Add(anchor_of(start.anchor_unit), start.high);
    start.way = Way::narrow;
    return start;
  }

  template <int N>
  static __device__ __forceinline__ void scan(const T (&x)[N], const Kept& kept, const Start& start,
                                              const Window& window, const PipelineJob& job, std::int64_t,
                                              T* elements) {
    if (start.way == Way::wide) {
      const Wide before = start.reduced_wide ? kept.before : in_units(kept.before, window.unit);
      put_wide_results<N>(elements, start.before + before, window.unit, job.exclusive);
      return;
    }
    auto* const out = reinterpret_cast<uint4*>(elements);
    const auto put = [&](const auto& sum) {
      if (job.exclusive)
        put_results<true>(x, sum, out);
      else
        put_results<false>(x, sum, out);
    };
    if constexpr (!is_double)
      if (start.way == Way::plain)
        return put(PlainSum{Add(start.high, from_bits(kept.before.word[0])), start.low});
    SplitSum sum{start.high, start.low};
    sum.add(from_bits(kept.before.word[0]));
    sum.add(from_bits(kept.before.word[1]));
    put(AnchoredSum{sum, anchor_of(start.anchor_unit)});
  }

  static __device__ void keep(const Before& before, const Sum& of_tile, const Window& window,
                              ScanCarry& carry) {
    set_limbs(carry, before.sum() + of_tile.value, window.unit);
    // The window was not opened before such an element, nor after others.
    if (lane() < scan_rows - limb_rows)
      carry.row[limb_rows + lane()] = limb_rows + lane() == other_than_negative_zero_row ? 1 : 0;
  }

 private:
  static __device__ __forceinline__ bool holds(const Window& window, const WarpExtent& extent) {
    return extent.top <= window.highest && extent.place >= window.unit;
  }

  // All sums are below 2^(highest + 41): those before, and those of 2^30 elements at most.
  static constexpr int to_spare = 8, growth = 40, width = 148;
  /// The window of a launch, if one can be: not if results may be -0, which integers do not know, or what is
  /// not finite. Of sums before other than zero, which take longer, apart.
  static __device__ __forceinline__ Window window_above(const PipelineJob& job, unsigned largest) {
    const int top = static_cast<int>(largest >> 20) + 1 - exponent_bias + to_spare;
    if (!job.begins_at_zero) return window_above_sum(job, top);
    Window window{};
    place(window, top);
    window.is_open = may_open(job, job.before.row);
    return window;
  }
  static __device__ __noinline__ Window window_above_sum(const PipelineJob& job, int top) {
    if (job.continues && job.workspace->carry.scanned != job.done) return {};
    if (job.continues) normalise(job.workspace->carry);
    const std::int64_t* const row = job.continues ? job.workspace->carry.row : job.before.row;
    const CarryDigits before{row};
    const int bound = before.bound();
    Window window{};
    place(window, max(top, bound - growth));
    const int unit = window.unit;
    window.before = {before.floor_of_quotient(unit), before.floor_of_quotient(unit + 64),
                     before.floor_of_quotient(unit + 128)};
    window.is_open = may_open(job, row) && before.is_multiple_of(unit) && bound <= window.highest + growth;
    return window;
  }
  static __device__ __forceinline__ void place(Window& window, int top) {
    constexpr int lowest = -900;  // above the least that a warp's elements are taken for
    constexpr int highest = 960, lowest_unit = is_double ? -950 : -149;
    window.highest = min(max(top, lowest), highest);
    window.unit = max(window.highest - width, lowest_unit);
  }
  static __device__ __forceinline__ bool may_open(const PipelineJob& job, const std::int64_t* row) {
    const bool has_specials = (row[nan_row] | row[positive_infinity_row] | row[negative_infinity_row]) != 0;
    const T first = *reinterpret_cast<const T*>(job.x);
    return !has_specials && (row[other_than_negative_zero_row] != 0 ||
                             (!job.exclusive && bits_of(static_cast<double>(first)) != sign_bit));
  }

  static constexpr int lowest_y = -890, highest_y = 1000;

  static __device__ __forceinline__ Parts parts(double high, double low) {
    return {bits_of(high), bits_of(low), 0};
  }
  static __device__ __forceinline__ Wide in_units(const Parts& sum, int unit) {
    return wide_of(from_bits(sum.word[0]), unit) + wide_of(from_bits(sum.word[1]), unit);
  }

  /// From the exponents. What is not finite is beyond any window.
  template <int N>
  static __device__ __forceinline__ WarpExtent extent_of(const T (&x)[N]) {
    unsigned highest = 0, lowest = ~0u;  // the high bits without the sign; of zero, less one, the largest
    [[maybe_unused]] float largest = 0;  // or NaN
#pragma unroll
    for (int i = 0; i < N; ++i) {
      if constexpr (is_double) {
        const unsigned high = high_bits(x[i]) * 2;
        highest = max(highest, high);
        lowest = min(lowest, high - (low_bits(x[i]) == 0 ? 1 : 0));
      } else {
        asm("{\n\t.reg .f32 m;\n\tabs.f32 m, %1;\n\tmax.NaN.f32 %0, %0, m;\n\t}" : "+f"(largest) : "f"(x[i]));
        lowest = min(lowest, __float_as_uint(x[i]) * 2 - 1);
      }
    }
    if constexpr (!is_double) highest = __float_as_uint(largest) * 2;
    highest = warp_max(highest);
    lowest = ~warp_max(~lowest);
    constexpr int fraction = is_double ? 21 : 24, bias = is_double ? 1023 : 127;
    constexpr int last_place = bias + (is_double ? 52 : 23);
    constexpr int beyond = 5000;
    const int top_field = static_cast<int>(highest >> fraction);
    const int low_field = max(static_cast<int>(lowest >> fraction), 1);
    return {top_field == 2 * bias + 1 ? beyond : max(top_field + 1 - bias, lowest_top),
            lowest == ~0u ? beyond : low_field - last_place};
  }
  static constexpr int lowest_top = -950;

  static __device__ double scaled(std::uint64_t count, int exponent) {
    return static_cast<double>(static_cast<std::int64_t>(count)) * power_of_two(exponent);
  }

  static __device__ bool is_multiple(const Wide& a, int bits) {
    const Wide below = shifted_up(1, bits) - Wide{1, 0, 0};
    return ((a.word[0] & below.word[0]) | (a.word[1] & below.word[1]) | (a.word[2] & below.word[2])) == 0;
  }

  /// What bits an element may have below `top` before it is looked at more closely: exponents alone tell of
  /// numbers of few digits, such as counts of 2^-53 in [0, 1), less than is true.
  static constexpr int usual_bits = 68;

  /// Where the last bit of a warp's elements is.
  template <int N>
  static __device__ __noinline__ int true_place(const T* elements) {
    constexpr int beyond = 5000;
    int place = beyond;
#pragma unroll 2
    for (int i = 0; i < N; ++i) {
      const Decomposed parts = decompose(static_cast<double>(elements[i]));
      const int zeros = __ffsll(static_cast<long long>(parts.significand)) - 1;
      if (parts.significand != 0) place = min(place, parts.exponent + zeros);
    }
    return beyond - static_cast<int>(warp_max(static_cast<unsigned>(beyond - place)));
  }

#endif
};

}  // namespace foldline::cuda
