// The Op of pipelines of 32- and 64-bit integers whose results have the same type.
#pragma once

#include <limits>
#include <type_traits>

#include "cuda/device/warp_scan.cuh"
#include "cuda/scan/scan_pipeline.cuh"

namespace foldline::cuda {

template <class T>
struct ScanOfIntegers {
  using Element = T;
  static constexpr int threads = 256, vec16s = 9, stages = 6, distance = 3;
  using Sum = ExactSum;
  using Before = ExactBefore;
  static constexpr T padding = 0;
  /// A warp's sum of 32-bit elements fits in 64 bits.
  using WarpSum = std::conditional_t<sizeof(T) == 4, std::int64_t, Int128>;

  struct Window {
    Int192 before;
    static constexpr bool is_open = true;
  };
  struct Total {
    WarpSum sum;
  };
  struct LaneState {
    WarpSum before;  // sum of the lanes before
  };
  struct Prefix {
    Int192 before;
    bool known;
  };

#if __CUDA_ARCH__ >= 900
  static constexpr bool samples = false;
  static constexpr bool may_fail = false;
  static __device__ Window open(const PipelineJob& job, unsigned, unsigned) {
    const Uint128 before = job.continues ? job.workspace->carry.integer : job.before.integer;
    return {int192_of(static_cast<Int128>(before))};
  }

  template <int N>
  static __device__ __forceinline__ void reduce(const T (&x)[N], const T*, PipelineOpening<ScanOfIntegers>&,
                                                LaneState& lane_state, Total& total) {
    WarpSum sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) sum += x[i];
    const WarpSum up_to = inclusive_warp_scan(sum);
    lane_state.before = up_to - sum;
    if (lane() == 31) total.sum = up_to;
  }

  static __device__ Sum sum_of(const Total& total, const Window&, bool&) {
    return {int192_of(Int128{total.sum})};
  }

  static __device__ Prefix make_prefix(const Before& before, const Sum& of_warps, const Total&,
                                       const Window&) {
    return {before.sum() + of_warps.value, true};
  }

  template <int N>
  static __device__ __forceinline__ void scan(const T (&x)[N], const LaneState& lane_state,
                                              const Prefix& prefix, const Window&, const PipelineJob& job,
                                              std::int64_t first, T* elements) {
    auto* const out = reinterpret_cast<uint4*>(elements);
    const Int128 before = low_half(prefix.before) + lane_state.before;
    const bool fits = job.exclusive ? scan_as<true>(x, before, out) : scan_as<false>(x, before, out);
    if (fits || !job.checked) return;
    T again[N];  // a copy, so that x itself can stay in registers
#pragma unroll
    for (int i = 0; i < N; ++i) again[i] = x[i];
    find_overflow(again, before, job, first);
  }

  static __device__ void store_carry(const Before& before, const Sum& of_tile, const Window&,
                                     ScanCarry& carry) {
    if (lane() == 0) carry.integer = static_cast<Uint128>(low_half(before.sum() + of_tile.value));
  }

 private:
  using Bits = std::make_unsigned_t<T>;

  static __device__ __forceinline__ Int128 low_half(const Int192& a) {
    return static_cast<Int128>(static_cast<Uint128>(a.word[1]) << 64 | a.word[0]);
  }

  static __device__ __forceinline__ bool holds(Int128 sum) { return sum == static_cast<T>(sum); }

  /// Computes results modulo 2^bits. Returns true if all of them certainly fit, and in an exclusive scan also
  /// the sum after the last.
  template <bool Exclusive, int N>
  static __device__ __forceinline__ bool scan_as(const T (&x)[N], Int128 before, uint4* out) {
    constexpr int per_vec16 = 16 / sizeof(T);
    bool fits = holds(before);
    auto sum = static_cast<Bits>(before);
    Bits carried = 0;  // the highest bit is set if a sum overflowed
#pragma unroll
    for (int q = 0; q < N / per_vec16; ++q) {
      alignas(16) Bits result[per_vec16];
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) {
        const auto element = static_cast<Bits>(x[q * per_vec16 + i]);
        const Bits next = sum + element;
        if constexpr (std::is_signed_v<T>)
          carried |= (next ^ sum) & (next ^ element);
        else
          carried |= (sum & element) | ((sum | element) & ~next);
        result[i] = Exclusive ? sum : next;
        sum = next;
      }
      out[q] = *reinterpret_cast<const uint4*>(result);
    }
    return fits && carried >> (8 * sizeof(T) - 1) == 0;
  }

  /// Reports the thread's first result that its type cannot hold, if there is one.
  template <int N>
  static __device__ __noinline__ void find_overflow(const T (&x)[N], Int128 sum, const PipelineJob& job,
                                                    std::int64_t first) {
    for (int i = 0; i < N; ++i) {
      const Int128 next = sum + x[i];
      if (first + i < job.count && !holds(job.exclusive ? sum : next)) {
        report_overflow(job, first + i);
        return;
      }
      sum = next;
    }
  }
#endif
};

}  // namespace foldline::cuda
