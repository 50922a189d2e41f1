// Correctly rounded results of a thread's elements, from exact running sums.
//
// A float result is rounded twice, via double. That is right unless the double lies halfway between two
// floats and the exact sum does not; then the error of the first rounding decides. In the range of subnormal
// floats all sums are multiples of the last place, so nothing is rounded; the same holds for doubles.
#pragma once

#include "cuda/device/lane.cuh"
#include "cuda/exact/int192.cuh"

namespace foldline::cuda {

/// An exact sum as two doubles: what an addition to `high` rounds away is added to `low`. warp_frame.cuh
/// tells for which elements both are exact.
struct SplitSum {
  double high, low;

  __device__ __forceinline__ void add(double x) {
    const double sum = Add(high, x);
    low = Add(low, Sub(x, Sub(sum, high)));
    high = sum;
  }
};
/// The same with `high` starting at an anchor.
struct AnchoredSum {
  SplitSum sum;
  double anchor;

  __device__ __forceinline__ void add(double x) { sum.add(x); }
  __device__ __forceinline__ double high() const { return Sub(sum.high, anchor); }
  __device__ __forceinline__ double low() const { return sum.low; }
};
/// For elements whose sums with the prefix are exact.
struct PlainSum {
  double sum, rest;

  __device__ __forceinline__ void add(double x) { sum = Add(sum, x); }
  __device__ __forceinline__ double high() const { return sum; }
  __device__ __forceinline__ double low() const { return rest; }
};

/// high + low rounded to float via a double that may lie halfway between two floats.
__device__ __forceinline__ float rounded_with_tie(double high, double low) {
  const double sum = Add(high, low), low_taken = Sub(sum, high);
  const double error = Add(Sub(high, Sub(sum, low_taken)), Sub(low, low_taken));
  constexpr unsigned half = 1u << 28;
  if ((low_bits(sum) & (2 * half - 1)) != half || error == 0) return __double2float_rn(sum);
  return error > 0 ? __double2float_ru(sum) : __double2float_rd(sum);
}

/// Rounds the sums high + low of a vec16 of results. Returns false if one of them may be a tie, so that
/// results may be wrong.
__device__ __forceinline__ bool round_vec16(const double (&high)[2], const double (&low)[2],
                                            double (&result)[2]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) result[i] = Add(high[i], low[i]);
  return true;
}
__device__ __forceinline__ bool round_vec16(const double (&high)[4], const double (&low)[4],
                                            float (&result)[4]) {
  // A double lies halfway between two floats if its last 29 bits are a one followed by zeros.
  constexpr unsigned without_other_bits = 8, half = 1u << 31;
  unsigned distance_to_tie = ~0u;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const double sum = Add(high[i], low[i]);
    result[i] = __double2float_rn(sum);
    distance_to_tie = min(distance_to_tie, low_bits(sum) * without_other_bits + half);
  }
  return distance_to_tie != 0;
}

/// The sums of a vec16 of results.
template <int PerVec16>
struct Vec16Sums {
  double high[PerVec16], low[PerVec16];

  /// Continues from `sum`, and advances it.
  template <bool Exclusive, class T, class Sum>
  __device__ __forceinline__ void take(const T* x, Sum& sum) {
#pragma unroll
    for (int i = 0; i < PerVec16; ++i) {
      if constexpr (Exclusive) high[i] = sum.high(), low[i] = sum.low();
      sum.add(static_cast<double>(x[i]));
      if constexpr (!Exclusive) high[i] = sum.high(), low[i] = sum.low();
    }
  }
};

/// Stores a vec16 of results of elements that continue from a sum, with ties handled. Returns the sum after
/// them. (The elements may have a wider type than the results.)
template <bool Exclusive, class Result, class Sum, class T>
__device__ __forceinline__ Sum store_vec16_result(const T* x, Sum sum, uint4* out) {
  constexpr int per_vec16 = 16 / sizeof(Result);
  Vec16Sums<per_vec16> sums;
  sums.template take<Exclusive>(x, sum);
  alignas(16) Result result[per_vec16];
  if (!round_vec16(sums.high, sums.low, result)) [[unlikely]] {
    if constexpr (per_vec16 == 4)
#pragma unroll
      for (int i = 0; i < per_vec16; ++i) result[i] = rounded_with_tie(sums.high[i], sums.low[i]);
  }
  *out = *reinterpret_cast<const uint4*>(result);
  return sum;
}

/// Replaces some vec16 of elements by results, with ties handled. Not inlined, and short: ties are rare
/// except among the first elements, so this code is run cold.
template <bool Exclusive, class T, class Sum>
__device__ __noinline__ void store_results_with_ties(T* elements, int vec16s, Sum sum) {
  constexpr int per_vec16 = 16 / sizeof(T);
#pragma unroll 1
  for (int q = 0; q < vec16s; ++q) {
    auto* const vec16 = reinterpret_cast<uint4*>(elements) + q;
    alignas(16) T x[per_vec16];
    *reinterpret_cast<uint4*>(x) = *vec16;
    sum = store_vec16_result<Exclusive, T>(x, sum, vec16);
  }
}

/// Replaces N elements, which are also in x, by their results from a sum on.
template <bool Exclusive, class T, class Sum, int N>
__device__ __forceinline__ void store_results(const T (&x)[N], Sum sum, T* elements) {
  constexpr int per_vec16 = 16 / sizeof(T);
#pragma unroll
  for (int q = 0; q < N / per_vec16; ++q) {
    const Sum before = sum;
    Vec16Sums<per_vec16> sums;
    sums.template take<Exclusive>(x + q * per_vec16, sum);
    alignas(16) T result[per_vec16];
    if (!round_vec16(sums.high, sums.low, result))
      return store_results_with_ties<Exclusive>(elements + q * per_vec16, N / per_vec16 - q, before);
    reinterpret_cast<uint4*>(elements)[q] = *reinterpret_cast<const uint4*>(result);
  }
}

/// In units of 2^unit.
template <int N, class T>
__device__ __noinline__ Int192 sum_of_elements(const T* elements, int unit) {
  Int192 sum{};
#pragma unroll 7
  for (int i = 0; i < N; ++i) sum = sum + int192_of(static_cast<double>(elements[i]), unit);
  return sum;
}

/// Stores results, which may overwrite the elements.
template <int N, class Result, class T>
__device__ __noinline__ void store_int192_results(const T* elements, Result* results, Int192 sum, int unit,
                                                  bool exclusive) {
#pragma unroll 7
  for (int i = 0; i < N; ++i) {
    const Int192 next = sum + int192_of(static_cast<double>(elements[i]), unit);
    results[i] = rounded<Result>(exclusive ? sum : next, unit);
    sum = next;
  }
}

}  // namespace foldline::cuda
