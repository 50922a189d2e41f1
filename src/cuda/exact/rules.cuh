// How terms that fit a window are added: for each kind, the operations an element takes, and what tells that
// none of them rounds.
//
// A window is named by its top: all terms are below 2^top. Its levels are accumulators that begin at anchors,
// 1.5 * 2^(unit + 52), and stay in their binade: what they hold is then a multiple of 2^unit, counted by the
// bits' difference from the anchor's. Terms that are multiples of the lowest level's unit leave nothing
// behind, so the lowest level takes one addition, and no error is looked at. Whether a term is such a
// multiple follows from the size of its significand and its exponent: an integer `key` that grows with the
// magnitude, the largest and smallest of which are compared once a batch. Only if the smallest is too small,
// as zero is, are the terms looked at one by one (`holds`).
//
// Of a million ordinary numbers some are too small for a window of few binades. A rule of such a window has
// a level below the others for them, to which nothing is added but what did not fit (`add_below`).
//
// An operation of a warp, on doubles or integers, takes two cycles of a quarter of a multiprocessor on an
// H200; per 8 bytes of each lane, memory leaves 57.
#pragma once

#include "arithmetic/windows.hpp"
#include "cuda/device/elements.cuh"
#include "cuda/device/lane.cuh"
#include "cuda/exact/digits.cuh"

namespace foldline::cuda {

/// Which number of a pair of elements, or its magnitude, is the term; `signed_of` is the number itself.
struct First {
  template <class Number>
  static __device__ __forceinline__ Number of(Number x, Number) {
    return x;
  }
  template <class Number>
  static __device__ __forceinline__ Number signed_of(Number x, Number) {
    return x;
  }
};
struct FirstMagnitude {
  static __device__ __forceinline__ float of(float x, float) { return fabsf(x); }
  /// Part of the addition that takes it. Of a float that was widened, fabs() would be an operation of its
  /// own, since the compiler takes the float's magnitude. (2^29 floats on an H200: 481 us instead of 485.)
  static __device__ __forceinline__ double of(double x, double) {
    double magnitude;
    asm("abs.f64 %0, %1;" : "=d"(magnitude) : "d"(x));
    return magnitude;
  }
  template <class Number>
  static __device__ __forceinline__ Number signed_of(Number x, Number) {
    return x;
  }
};
struct Second {
  template <class Number>
  static __device__ __forceinline__ Number of(Number, Number y) {
    return y;
  }
  template <class Number>
  static __device__ __forceinline__ Number signed_of(Number, Number y) {
    return y;
  }
};

// Elements as floats, which hold those of 16 bits too.
__device__ __forceinline__ float as_float(float x) { return x; }
__device__ __forceinline__ float as_float(Half x) { return __half2float(__ushort_as_half(x.bits)); }
__device__ __forceinline__ float as_float(Bfloat16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}

// Keys: the bits of the magnitude, of doubles the high half. They grow with it; infinities and NaN have the
// highest.
inline constexpr unsigned key_of_infinite_double = 0x7ff00000u, key_of_infinite_float = 0x7f800000u;
__device__ __forceinline__ unsigned key_of_double(double x) { return high_bits(x) & 0x7fffffffu; }
__device__ __forceinline__ unsigned key_of_float(float x) { return __float_as_uint(x) & 0x7fffffffu; }

// 2^top must be above the largest term seen, with some room, and a multiple of a power of two so that most
// blocks find the same: counts of different windows take longer to add up.
template <int Multiple = 2>
__device__ __forceinline__ int roomy_top(int above, int lowest, int highest) {
  return min(max((above + Multiple) & -Multiple, lowest), highest);
}

/// Whether t, below 2^(unit + 52), is a multiple of 2^unit; of those from 2^(unit + 51) on, of twice that.
__device__ __forceinline__ bool is_multiple(double t, double anchor_of_unit) {
  const double magnitude = fabs(t);
  return __dadd_rn(__dadd_rn(magnitude, anchor_of_unit), -anchor_of_unit) == magnitude;
}

/// An anchor from its unit; its low half is zero.
__device__ __forceinline__ double anchor_at(int unit) {
  return __hiloint2double((unit + significand_bias) << 20 | 1 << 19, 0);
}

/// Takes as many units from t, which is below 2^51 of them, as are nearest, and counts them.
__device__ __forceinline__ double take_units(double t, int unit, std::int64_t& count) {
  const double anchor = anchor_at(unit), sum = __dadd_rn(anchor, t);
  count += __double_as_longlong(sum) - __double_as_longlong(anchor);
  return __dadd_rn(t, -__dadd_rn(sum, -anchor));
}

/// Adds t, which is below 2^51 units of the last level, with that and the level below; false, and nothing: it
/// is no multiple of the latter's unit.
__device__ __forceinline__ bool add_below_last(double t, int last_unit, int unit_below, std::int64_t& last,
                                               std::int64_t& below) {
  std::int64_t taken = 0, taken_below = 0;
  if (take_units(take_units(t, last_unit, taken), unit_below, taken_below) != 0) return false;
  last += taken;
  below += taken_below;
  return true;
}

template <class Rule>
inline constexpr bool has_level_below = requires { Rule::binades_below; };

}  // namespace foldline::cuda
