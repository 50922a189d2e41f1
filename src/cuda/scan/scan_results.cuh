// The correctly rounded results of a thread's elements in a pipeline, from exact running sums.
//
// A float is rounded a second time, from the double, which is right unless the double lies halfway between
// two floats and the sum does not: then the error of the first rounding decides. Below the normal floats all
// sums are multiples of the last place, so nothing is rounded there; likewise doubles.
#pragma once

#include "cuda/device/lane.cuh"
#include "cuda/exact/wide.cuh"

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
__device__ __forceinline__ float rounded_with_tie(double high, double low) {
  const double sum = Add(high, low), low_taken = Sub(sum, high);
  const double error = Add(Sub(high, Sub(sum, low_taken)), Sub(low, low_taken));
  constexpr unsigned half = 1u << 28;
  if ((low_bits(sum) & (2 * half - 1)) != half || error == 0) return __double2float_rn(sum);
  return error > 0 ? __double2float_ru(sum) : __double2float_rd(sum);
}

/// Rounds the sums high + low of a quad of results. Returns whether they are right, which they are not surely
/// if one of them is a tie.
__device__ __forceinline__ bool round_quad(const double (&high)[2], const double (&low)[2],
                                           double (&result)[2]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) result[i] = Add(high[i], low[i]);
  return true;
}
__device__ __forceinline__ bool round_quad(const double (&high)[4], const double (&low)[4],
                                           float (&result)[4]) {
  // A double lies halfway between two floats if its last 29 bits are a one and zeros.
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

/// The sums of a quad of results.
template <int PerQuad>
struct QuadSums {
  double high[PerQuad], low[PerQuad];

  /// Goes on from `sum`, which becomes the one after the elements.
  template <bool Exclusive, class T, class Sum>
  __device__ __forceinline__ void take(const T* x, Sum& sum) {
#pragma unroll
    for (int i = 0; i < PerQuad; ++i) {
      if constexpr (Exclusive) high[i] = sum.high(), low[i] = sum.low();
      sum.add(static_cast<double>(x[i]));
      if constexpr (!Exclusive) high[i] = sum.high(), low[i] = sum.low();
    }
  }
};

/// A quad of results of elements that go on from a sum, right whether there are ties or not. Returns the sum
/// after them. (The elements may be of a wider type.)
template <bool Exclusive, class Result, class Sum, class T>
__device__ __forceinline__ Sum put_quad(const T* x, Sum sum, uint4* out) {
  constexpr int per_quad = 16 / sizeof(Result);
  QuadSums<per_quad> sums;
  sums.template take<Exclusive>(x, sum);
  alignas(16) Result result[per_quad];
  if (!round_quad(sums.high, sums.low, result)) [[unlikely]] {
    if constexpr (per_quad == 4)
#pragma unroll
      for (int i = 0; i < per_quad; ++i) result[i] = rounded_with_tie(sums.high[i], sums.low[i]);
  }
  *out = *reinterpret_cast<const uint4*>(result);
  return sum;
}

/// Results over some quads of elements, one after another. A function of its own, and little code: ties are
/// rare but among the first elements of all, and where this is run it is in no cache. (With this for every
/// quad at its place in put_results, exact scans of 2^24 floats took 51.2 us on an H200 instead of 49.5.)
template <bool Exclusive, class T, class Sum>
__device__ __noinline__ void put_results_with_ties(T* elements, int quads, Sum sum) {
  constexpr int per_quad = 16 / sizeof(T);
#pragma unroll 1
  for (int q = 0; q < quads; ++q) {
    auto* const quad = reinterpret_cast<uint4*>(elements) + q;
    alignas(16) T x[per_quad];
    *reinterpret_cast<uint4*>(x) = *quad;
    sum = put_quad<Exclusive, T>(x, sum, quad);
  }
}

/// Results of N elements that go on from a sum, over the elements, which are in x as well.
template <bool Exclusive, class T, class Sum, int N>
__device__ __forceinline__ void put_results(const T (&x)[N], Sum sum, T* elements) {
  constexpr int per_quad = 16 / sizeof(T);
#pragma unroll
  for (int q = 0; q < N / per_quad; ++q) {
    const Sum before = sum;
    QuadSums<per_quad> sums;
    sums.template take<Exclusive>(x + q * per_quad, sum);
    alignas(16) T result[per_quad];
    if (!round_quad(sums.high, sums.low, result))
      return put_results_with_ties<Exclusive>(elements + q * per_quad, N / per_quad - q, before);
    reinterpret_cast<uint4*>(elements)[q] = *reinterpret_cast<const uint4*>(result);
  }
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
