// The correctly rounded results of a thread's elements in a pipeline, from exact running sums.
//
// A float is rounded a second time, from the double, which is right unless the double lies halfway between
// two floats and the sum does not: then the error of the first rounding decides. Below the normal floats all
// sums are multiples of the last place, so nothing is rounded there; likewise doubles.
#pragma once

#include "cuda/lane.cuh"
#include "cuda/wide.cuh"

namespace foldline::cuda {

/// Two doubles: what the addition to `high` rounds away is added to `low`. Either is exact for elements that
/// warp_frame.cuh tells.
struct SplitSum {
  double high, low;

  __device__ __forceinline__ void add(double x) {
    const double sum = Add(high, x);
    low = Add(low, Sub(x, Sub(sum, high)));
    high = sum;
  }
};
/// The same, begun at an anchor.
struct AnchoredSum {
  SplitSum sum;
  double anchor;

  __device__ __forceinline__ void add(double x) { sum.add(x); }
  __device__ __forceinline__ double high() const { return Sub(sum.high, anchor); }
  __device__ __forceinline__ double low() const { return sum.low; }
};
/// Of elements whose sums with the first are exact.
struct PlainSum {
  double sum, rest;

  __device__ __forceinline__ void add(double x) { sum = Add(sum, x); }
  __device__ __forceinline__ double high() const { return sum; }
  __device__ __forceinline__ double low() const { return rest; }
};

/// high + low to the nearest float, by way of a double that may lie halfway between two.
__device__ __noinline__ inline float rounded_with_tie(double high, double low) {
  const double sum = Add(high, low), low_taken = Sub(sum, high);
  const double error = Add(Sub(high, Sub(sum, low_taken)), Sub(low, low_taken));
  constexpr unsigned half = 1u << 28;
  if ((low_bits(sum) & (2 * half - 1)) != half || error == 0) return __double2float_rn(sum);
  return error > 0 ? __double2float_ru(sum) : __double2float_rd(sum);
}

__device__ __forceinline__ uint4 rounded_quad(const double (&high)[2], const double (&low)[2]) {
  alignas(16) const double result[2] = {Add(high[0], low[0]), Add(high[1], low[1])};
  return *reinterpret_cast<const uint4*>(result);
}
__device__ __forceinline__ uint4 rounded_quad(const double (&high)[4], const double (&low)[4]) {
  // A double lies halfway between two floats if its last 29 bits are a one and zeros.
  constexpr unsigned without_other_bits = 8, half = 1u << 31;
  alignas(16) float result[4];
  unsigned distance_to_tie = ~0u;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const double sum = Add(high[i], low[i]);
    result[i] = __double2float_rn(sum);
    distance_to_tie = min(distance_to_tie, low_bits(sum) * without_other_bits + half);
  }
  if (distance_to_tie == 0) {
#pragma unroll
    for (int i = 0; i < 4; ++i) result[i] = rounded_with_tie(high[i], low[i]);
  }
  return *reinterpret_cast<const uint4*>(result);
}

/// Results of elements that go on from a sum. Returns the sum after them. (The elements may be of a wider
/// type.)
template <bool Exclusive, class Result, class Sum, class T, int N>
__device__ __forceinline__ Sum put_results(const T (&x)[N], Sum sum, uint4* out) {
  constexpr int per_quad = 16 / sizeof(Result);
#pragma unroll
  for (int q = 0; q < N / per_quad; ++q) {
    double high[per_quad], low[per_quad];
#pragma unroll
    for (int i = 0; i < per_quad; ++i) {
      if constexpr (Exclusive) high[i] = sum.high(), low[i] = sum.low();
      sum.add(static_cast<double>(x[q * per_quad + i]));
      if constexpr (!Exclusive) high[i] = sum.high(), low[i] = sum.low();
    }
    out[q] = rounded_quad(high, low);
  }
  return sum;
}

/// In units of 2^unit.
template <int N, class T>
__device__ __noinline__ Wide sum_of_elements(const T* elements, int unit) {
  Wide sum{};
#pragma unroll 7
  for (int i = 0; i < N; ++i) sum = sum + wide_of(static_cast<double>(elements[i]), unit);
  return sum;
}

/// Results, which may be written over the elements.
template <int N, class Result, class T>
__device__ __noinline__ void put_wide_results(const T* elements, Result* results, Wide sum, int unit,
                                              bool exclusive) {
#pragma unroll 7
  for (int i = 0; i < N; ++i) {
    const Wide next = sum + wide_of(static_cast<double>(elements[i]), unit);
    results[i] = rounded<Result>(exclusive ? sum : next, unit);
    sum = next;
  }
}

}  // namespace foldline::cuda
