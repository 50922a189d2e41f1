// The Op of pipelines of floats and doubles with Accuracy::fast: every addition rounds. A thread adds its
// elements in their own type; all other sums are doubles.
//
// An element passes at most 40 roundings on the way to a result: of its thread's elements (35, or 17 for
// doubles), of 32 lanes, of the warps, of the tiles that the blocks take at a time (a tree after five per
// lane), and some to combine these. The order of additions depends only on the positions of the elements and
// the number of blocks.
//
// Sums of floats are far below the largest double, so they are infinite or NaN only if an element before is;
// infinities, NaN and -0 then behave as in IEEE arithmetic. A thread whose sums overflow float adds doubles.
// Sums of doubles might overflow and return to the range: tiles where that is possible are left to the
// two-pass scan.
#pragma once

#include "cuda/scan/carry_limbs.cuh"
#include "cuda/scan/scan_pipeline.cuh"

namespace foldline::cuda {

template <class T>
struct FastScan {
  using Element = T;
  static constexpr bool is_double = sizeof(T) == 8;
  static constexpr int threads = 256, vec16s = 9, stages = 6, distance = 3;
  using Sum = RoundedSum;
  using Before = RoundedBefore;
  static constexpr T padding = T(-0.0);

  struct Window {
    double before;  // -0 before the first element; 0 otherwise, which is then the first result of an
                    // exclusive scan
    static constexpr bool is_open = true;
  };
  struct Total {
    double sum;
    bool may_leave_range;
  };
  struct LaneState {
    double before;  // sum of the lanes before
  };
  struct Prefix {
    double before;
    bool known;
  };

#if __CUDA_ARCH__ >= 900
  static constexpr bool samples = false;
  static constexpr bool may_fail = is_double;

  static __device__ __forceinline__ Window open(const PipelineJob& job, unsigned, unsigned) {
    return {job.before.row[other_than_negative_zero_row] != 0 ? 0.0 : -0.0};
  }

  template <int N>
  static __device__ __forceinline__ void reduce(const T (&x)[N], const T*, PipelineOpening<FastScan>&,
                                                LaneState& lane_state, Total& total) {
    const double sum = sum_of_thread(x);
    const RoundedSum up_to = RoundedSum{sum}.inclusive_scan(32);
    lane_state.before = up_to.to_exclusive({sum}).value;
    bool may_leave_range = false;
    if constexpr (may_fail) {
      double magnitudes = 0;
#pragma unroll
      for (int i = 0; i < N; ++i) magnitudes = Add(magnitudes, fabs(x[i]));
      may_leave_range = __any_sync(all_lanes, !(magnitudes < largest_of_thread));
    }
    if (lane() == 31) total = {up_to.value, may_leave_range};
  }

  static __device__ Sum sum_of(const Total& total, const Window&, bool& failed) {
    failed = total.may_leave_range;
    return {total.sum};
  }

  static __device__ Prefix make_prefix(const Before& before, const Sum& of_warps, const Total&,
                                       const Window&) {
    return {Add(before.high(), Add(before.low(), of_warps.value)), true};
  }

  template <int N>
  static __device__ __forceinline__ void scan(const T (&x)[N], const LaneState& lane_state,
                                              const Prefix& prefix, const Window&, const PipelineJob& job,
                                              std::int64_t, T* elements) {
    const double before = Add(prefix.before, lane_state.before);
    if (job.exclusive)
      scan_as<true>(x, before, elements);
    else
      scan_as<false>(x, before, elements);
  }

  static __device__ void store_carry(const Before& before, const Sum& of_tile, const Window&,
                                     ScanCarry& carry) {
    const double parts[] = {before.high(), before.low(), of_tile.value};
    double sum = parts[0];
    int top = smallest_exponent;
    for (int i = 0; i < 3; ++i) {
      if (i > 0) sum = Add(sum, parts[i]);
      top = max(top, static_cast<int>(high_bits(parts[i]) >> 20 & infinite_field) + 1 - exponent_bias);
    }
    const int unit = max(top - 160, smallest_exponent);
    Int192 whole{};
    if (is_finite(sum))
      for (const double part : parts) whole = whole + int192_of(part, unit);
    set_limbs(carry, whole, unit);
    if (lane() != 0) return;
    carry.row[nan_row] = sum != sum;
    carry.row[positive_infinity_row] = bits_of(sum) == infinity_bits;
    carry.row[negative_infinity_row] = bits_of(sum) == (infinity_bits | sign_bit);
    carry.row[other_than_negative_zero_row] = bits_of(sum) != sign_bit;
  }

 private:
  /// With smaller sums of magnitudes per thread, no sum of a launch reaches 2^1023.
  static constexpr double largest_of_thread = 0x1p980;
  static_assert(std::int64_t{max_pipeline_tiles} * threads <= std::int64_t{1} << 42);

  static __device__ __forceinline__ float sum_of(float a, float b) { return __fadd_rn(a, b); }
  static __device__ __forceinline__ double sum_of(double a, double b) { return Add(a, b); }

  template <int N>
  static __device__ __forceinline__ double sum_of_thread(const T (&x)[N]) {
    T sum = x[0];
#pragma unroll
    for (int i = 1; i < N; ++i) sum = sum_of(sum, x[i]);
    if (is_double || is_finite(static_cast<double>(sum))) return static_cast<double>(sum);
    double in_range = static_cast<double>(x[0]);
    for (int i = 1; i < N; ++i) in_range = Add(in_range, static_cast<double>(x[i]));
    return in_range;
  }

  template <bool Exclusive, int N>
  static __device__ __forceinline__ void scan_as(const T (&x)[N], double before, T* elements) {
    constexpr int per_vec16 = 16 / sizeof(T);
    auto* const out = reinterpret_cast<uint4*>(elements);
    const T prefix = static_cast<T>(before);
    T sum{};
#pragma unroll
    for (int q = 0; q < N / per_vec16; ++q) {
      alignas(16) T result[per_vec16];
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) {
        const T element = x[q * per_vec16 + i];
        const bool is_first = q == 0 && i == 0;
        const T next = is_first ? element : sum_of(sum, element);
        result[i] = !Exclusive ? sum_of(prefix, next) : is_first ? prefix : sum_of(prefix, sum);
        sum = next;
      }
      out[q] = *reinterpret_cast<const uint4*>(result);
    }
    if constexpr (!is_double)
      // A sum that overflowed stays infinite or NaN, so the last one tells for all.
      if (!(fabs(before) < largest_start) || !is_finite(static_cast<double>(sum))) {
        T again[N];  // a copy, so that x itself can stay in registers
#pragma unroll
        for (int i = 0; i < N; ++i) again[i] = x[i];
        scan_in_range<Exclusive>(again, before, elements);
      }
  }
  static constexpr double largest_start = 0x1p126;

  /// The same in doubles, whose range sums of floats cannot leave.
  template <bool Exclusive, int N>
  static __device__ __noinline__ void scan_in_range(const T (&x)[N], double sum, T* elements) {
    for (int i = 0; i < N; ++i) {
      const double next = Add(sum, static_cast<double>(x[i]));
      const T result = static_cast<T>(Exclusive ? sum : next);
      elements[i] = result == result ? result : static_cast<T>(from_bits(canonical_nan));
      sum = next;
    }
  }
#endif
};

}  // namespace foldline::cuda
