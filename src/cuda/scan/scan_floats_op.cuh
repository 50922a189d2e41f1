// The Op of correctly rounded pipelines of floats and doubles. Sums of tiles are integers, in the same unit
// for the whole launch; within a warp, sums have one of the modes of warp_frame.cuh.
#pragma once

#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/scan_pipeline.cuh"
#include "cuda/scan/warp_frame.cuh"

namespace foldline::cuda {

template <class T>
struct ScanOfFloats {
  using Element = T;
  // Six stages of 35 KB for doubles; five of 43 KB for floats, whose threads have more to do beside loads and
  // stores.
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr int threads = is_double ? 320 : 384, vec16s = 7, stages = is_double ? 6 : 5;
  static constexpr int distance = is_double ? 3 : 2;
  static constexpr int count_bits = is_double ? 9 : 10;
  static_assert(32 * vec16s * 16 / sizeof(T) <= 1 << count_bits);
  static constexpr int per_thread = vec16s * 16 / sizeof(T);

  using Sum = ExactSum;
  using Before = ExactBefore;
  static constexpr T padding = 0;
  struct Window {
    Int192 before;
    int unit, highest;
    bool is_open;
  };
  /// A sum in either representation: as an integer in units, or as the bits of `high` and `low` in words 0
  /// and 1.
  using Parts = Int192;
  struct Total {
    Parts sum;
    WarpExtent extent;
    bool is_integer;
  };
  struct LaneState {
    Parts before;  // sum of the lanes before
  };
  struct Prefix {
    WarpPrefix of_warp;
    bool reduced_as_integer;  // the lane state is an integer
    bool known;
  };

#if __CUDA_ARCH__ >= 900
  static constexpr bool samples = true;
  static constexpr bool may_fail = true;
  /// The high half of the largest of some finite elements: one per thread, or eight where there are many
  /// elements, all loaded before the first is used. (With few elements, four per thread take 2 us longer: all
  /// blocks wait for these scattered loads.)
  static __device__ __forceinline__ unsigned sample(const PipelineJob& job) {
    constexpr int most = 8;
    const auto* const x = reinterpret_cast<const T*>(job.x);
    const unsigned of_thread = job.count < (1 << 26) ? 1 : most;
    const auto step = ~std::uint64_t{0} / static_cast<unsigned>(threads) / of_thread;
    T taken[most];
#pragma unroll
    for (unsigned i = 0; i < most; ++i)
      taken[i] =
          i < of_thread
              ? x[__umul64hi((i * threads + threadIdx.x) * step, static_cast<std::uint64_t>(job.count))]
              : T{0};
    unsigned largest = 0;
#pragma unroll
    for (const T element : taken) {
      const unsigned magnitude = high_bits(static_cast<double>(element)) & 0x7fffffffu;
      if (magnitude < 0x7ff00000u) largest = max(largest, magnitude);
    }
    return largest;
  }

  /// The window above the samples and the sum before, as the first block sees them: other blocks might sample
  /// what has been overwritten.
  static __device__ __forceinline__ Window open(const PipelineJob& job, unsigned epoch, unsigned largest) {
    Window window;
    if (blockIdx.x == 0) {
      window = window_above(job, largest);
      if (lane() == 0)
        publish_window(job.workspace->window, window.before, window.unit, window.highest, epoch,
                       !window.is_open);
    } else {
      window.is_open =
          wait_for_window(job.workspace->window, window.before, window.unit, window.highest, epoch);
    }
    return window;
  }

  template <int N>
  static __device__ __forceinline__ void reduce(const T (&x)[N], const T* elements,
                                                PipelineOpening<ScanOfFloats>& opening, LaneState& lane_state,
                                                Total& total) {
    ExtentObserver<T> observer;
#pragma unroll
    for (int i = 0; i < N; ++i) observer.observe(x[i]);
    WarpExtent extent = observer.combined();
    if (extent.lowest_bit < extent.top - max_exponent_span) extent.lowest_bit = exact_lowest_bit(elements, N);
    // Without the window, which is not known yet for the first tile.
    const bool split = split_sums_are_exact<count_bits>(extent);
    Parts up_to{};
    if (plain_sums_are_exact<T, count_bits>(extent)) {
      double sum = 0;
#pragma unroll
      for (int i = 0; i < N; ++i) sum = Add(sum, static_cast<double>(x[i]));
      const double own = sum;
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const double below = __shfl_up_sync(all_lanes, sum, distance);
        if (lane() >= distance) sum = Add(sum, below);
      }
      lane_state.before = parts({Sub(sum, own), 0});
      up_to = parts({sum, 0});
    } else if (split) {
      const double anchor = anchor_to_reduce<count_bits>(extent);
      SplitSum sum{anchor, 0};
#pragma unroll
      for (int i = 0; i < N; ++i) sum.add(static_cast<double>(x[i]));
      const LaneSum own{Sub(sum.high, anchor), sum.low}, sum_up_to = own.inclusive_scan();
      lane_state.before = parts(sum_up_to.to_exclusive(own));
      up_to = parts(sum_up_to);
    } else if (const Window& window = opening.wait(); holds(window, extent)) {
      const Int192 own = sum_of_elements<N>(elements, window.unit);
      up_to = inclusive_warp_scan(own, 32);
      lane_state.before = up_to - own;
    }
    if (lane() == 31) total = {up_to, extent, !split};
  }

  static __device__ Sum sum_of(const Total& total, const Window& window, bool& failed) {
    if (!holds(window, total.extent)) {
      failed = true;
      return {};
    }
    return {total.is_integer ? total.sum : in_units(total.sum, window.unit)};
  }

  static __device__ Prefix make_prefix(const Before& before_tile, const Sum& of_warps, const Total& total,
                                       const Window& window) {
    return {warp_prefix<T, count_bits, per_thread>(before_tile.sum() + of_warps.value, window.unit,
                                                   total.extent, total.is_integer),
            total.is_integer, true};
  }

  template <int N>
  static __device__ __forceinline__ void scan(const T (&x)[N], const LaneState& lane_state,
                                              const Prefix& prefix, const Window& window,
                                              const PipelineJob& job, std::int64_t, T* elements) {
    if (prefix.of_warp.mode == WarpSumMode::integer) {
      const Int192 before =
          prefix.reduced_as_integer ? lane_state.before : in_units(lane_state.before, window.unit);
      store_int192_results<N>(elements, elements, prefix.of_warp.before + before, window.unit, job.exclusive);
      return;
    }
    with_sum_before_lane<T>(prefix.of_warp, lane_sum(lane_state.before), [&](const auto& sum) {
      if (job.exclusive)
        store_results<true>(x, sum, elements);
      else
        store_results<false>(x, sum, elements);
    });
  }

  static __device__ void store_carry(const Before& before, const Sum& of_tile, const Window& window,
                                     ScanCarry& carry) {
    set_limbs(carry, before.sum() + of_tile.value, window.unit);
    // The window is opened neither before a -0 at the start nor after infinities or NaN.
    if (lane() < scan_rows - limb_rows)
      carry.row[limb_rows + lane()] = limb_rows + lane() == other_than_negative_zero_row ? 1 : 0;
  }

 private:
  static __device__ __forceinline__ bool holds(const Window& window, const WarpExtent& extent) {
    return extent.top <= window.highest && extent.lowest_bit >= window.unit;
  }

  // All sums are below 2^(highest + 41): those before the launch, and those of at most 2^30 elements.
  static constexpr int to_spare = 8, growth = 40, width = 148;
  /// The window of a launch. It stays closed if results may be -0, which integers cannot represent, or if
  /// there are non-finite values before. A non-zero sum before takes longer and is handled separately.
  static __device__ __forceinline__ Window window_above(const PipelineJob& job, unsigned largest) {
    const int top = static_cast<int>(largest >> 20) + 1 - exponent_bias + to_spare;
    if (!job.begins_at_zero) return window_above_sum(job, top);
    Window window{};
    set_range(window, top);
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
    set_range(window, max(top, bound - growth));
    const int unit = window.unit;
    window.before = {before.floor_of_quotient(unit), before.floor_of_quotient(unit + 64),
                     before.floor_of_quotient(unit + 128)};
    window.is_open = may_open(job, row) && before.is_multiple_of(unit) && bound <= window.highest + growth;
    return window;
  }
  static __device__ __forceinline__ void set_range(Window& window, int top) {
    constexpr int lowest = -900;  // above the lowest `top` that a warp's elements are given
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

  static __device__ __forceinline__ Parts parts(const LaneSum& sum) {
    return {bits_of(sum.high), bits_of(sum.low), 0};
  }
  static __device__ __forceinline__ LaneSum lane_sum(const Parts& parts) {
    return {from_bits(parts.word[0]), from_bits(parts.word[1])};
  }
  static __device__ __forceinline__ Int192 in_units(const Parts& parts, int unit) {
    return lane_sum(parts).in_units(unit);
  }
#endif
};

}  // namespace foldline::cuda
