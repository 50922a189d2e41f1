// Term types of WindowedSum: for each kind of term, how it is added to a window and how to tell that no
// addition rounds.
//
// A window is named by its top: all terms are below 2^top. Each level is an accumulator that starts at an
// anchor, 1.5 * 2^(unit + 52), and stays in the anchor's binade. Its value is then a multiple of 2^unit,
// counted by the difference of its bits from the anchor's. Terms that are multiples of the lowest level's
// unit leave no remainder, so that level takes a single addition. Whether a term is such a multiple follows
// from its exponent and the width of its significand, and these from an integer `key` that is monotonic in
// the magnitude: only the largest and the smallest key of a batch are compared. Only if the smallest is too
// small, as that of zero is, are terms tested one by one (`holds`).
//
// Among a million ordinary numbers some are too small for a window of few binades. Term types with such
// windows have a low level below the others, to which only terms that did not fit are added
// (`add_to_low_level`).
//
// Cost: an operation of a warp, on doubles or integers, takes two cycles of a multiprocessor's quarter on an
// H200; memory bandwidth leaves 57 cycles for 8 bytes per lane.
#pragma once

#include "arithmetic/windows.hpp"
#include "cuda/device/elements.cuh"
#include "cuda/device/lane.cuh"
#include "cuda/exact/digits.cuh"

namespace foldline::cuda {

/// Selects the term from a pair of elements. `of` is the term, `signed_of` the element with its sign.
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
  /// As a modifier of the addition's operand. For a float that was widened, fabs() would be an instruction of
  /// its own, since the compiler applies it before the conversion.
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

// Elements as floats, which also hold the 16-bit types.
__device__ __forceinline__ float as_float(float x) { return x; }
__device__ __forceinline__ float as_float(Half x) { return __half2float(__ushort_as_half(x.bits)); }
__device__ __forceinline__ float as_float(Bfloat16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}

// Keys: the bits of the magnitude, for doubles their high half. They are monotonic in the magnitude;
// infinities and NaN have the largest.
inline constexpr unsigned key_of_infinite_double = 0x7ff00000u, key_of_infinite_float = 0x7f800000u;
__device__ __forceinline__ unsigned key_of_double(double x) { return high_bits(x) & 0x7fffffffu; }
__device__ __forceinline__ unsigned key_of_float(float x) { return __float_as_uint(x) & 0x7fffffffu; }

// The top of a window with some room above the largest observed term, rounded up to a multiple, so that most
// blocks choose the same window: counts in different windows take longer to combine.
template <int Multiple = 2>
__device__ __forceinline__ int padded_top(int above, int lowest, int highest) {
  return min(max((above + Multiple) & -Multiple, lowest), highest);
}

/// True if t, below 2^(unit + 52), is a multiple of 2^unit (of 2^(unit + 1) from 2^(unit + 51) on).
__device__ __forceinline__ bool is_multiple(double t, double anchor_of_unit) {
  const double magnitude = fabs(t);
  return __dadd_rn(__dadd_rn(magnitude, anchor_of_unit), -anchor_of_unit) == magnitude;
}

/// An anchor from its unit; its low half is zero.
__device__ __forceinline__ double anchor_at(int unit) {
  return __hiloint2double((unit + significand_bias) << 20 | 1 << 19, 0);
}

/// Takes the nearest multiple of the unit from t, |t| < 2^51 units, and counts it.
__device__ __forceinline__ double take_units(double t, int unit, std::int64_t& count) {
  const double anchor = anchor_at(unit), sum = __dadd_rn(anchor, t);
  count += __double_as_longlong(sum) - __double_as_longlong(anchor);
  return __dadd_rn(t, -__dadd_rn(sum, -anchor));
}

/// Adds t, |t| < 2^51 units of the last level, to the last level and the low level. Returns false and adds
/// nothing if t is no multiple of the low level's unit.
__device__ __forceinline__ bool add_to_last_and_low_level(double t, int last_unit, int unit_below,
                                                          std::int64_t& last, std::int64_t& below) {
  std::int64_t taken = 0, taken_below = 0;
  if (take_units(take_units(t, last_unit, taken), unit_below, taken_below) != 0) return false;
  last += taken;
  below += taken_below;
  return true;
}

template <class Term>
inline constexpr bool has_low_level = requires { Term::binades_below; };

}  // namespace foldline::cuda
