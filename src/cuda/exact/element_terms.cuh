// Term types for elements and their magnitudes.
#pragma once

#include "cuda/exact/windowed_terms.cuh"

namespace foldline::cuda {

/// Doubles in a window of 40 binades. Two levels: 4 operations.
template <class Which>
struct DoubleTerms {
  static constexpr bool key_shows_infinities = true, suits_limbs = true;
  static constexpr int levels = 2, max_batch = deposits_per_block;
  static constexpr DigitRange digits = double_digits;
  static constexpr int lowest_top = smallest_exponent + levels * BinWindow::width;

  int top;
  static __device__ int window_top_above(unsigned key) {
    return padded_top(static_cast<int>(key >> 20) - exponent_bias + 1, lowest_top, BinWindow::highest_top);
  }
  static constexpr __device__ __forceinline__ int unit(int top, int level) {
    return top - BinWindow::width * (level + 1);
  }
  /// Keys in [lowest, end) fit whatever the lower bits are.
  __device__ __forceinline__ unsigned end() const { return static_cast<unsigned>(top + exponent_bias) << 20; }
  __device__ __forceinline__ unsigned lowest() const {
    const int last = unit(top, levels - 1);
    return last <= smallest_exponent ? 0 : static_cast<unsigned>(last + significand_bias) << 20;
  }
  static __device__ __forceinline__ unsigned key(double x, double y) {
    return key_of_double(Which::signed_of(x, y));
  }
  static __device__ bool is_finite(double x, double y) { return key(x, y) < key_of_infinite_double; }

  __device__ __forceinline__ void deposit(double x, double y, double (&bin)[levels]) const {
    const double t = Which::of(x, y);
    const double sum = __dadd_rn(bin[0], t);
    bin[1] = __dadd_rn(bin[1], __dadd_rn(t, -__dadd_rn(sum, -bin[0])));
    bin[0] = sum;
  }
  __device__ __forceinline__ bool holds(double x, double y) const {
    const double t = Which::of(x, y);
    const unsigned size = key(x, y);
    return size < end() && (size >= lowest() || is_multiple(t, anchor_at(unit(top, levels - 1))));
  }
  using Normal = AllNormal<double>;
  static __device__ __forceinline__ void observe(double x, double y, Normal& normal) {
    normal.observe(Which::of(x, y));
  }
  template <bool IsNormal, class Spill>
  static __device__ __forceinline__ void spill(double x, double y, Spill&& to) {
    to.template add<IsNormal>(Which::of(x, y));
  }
};

/// Floats and 16-bit types in a window of 23 binades and a low level of 46 more. One level: one operation,
/// beside the conversion.
template <class Which>
struct FloatTerms {
  static constexpr bool key_shows_infinities = true;
  static constexpr int levels = 1, max_batch = deposits_per_block;
  static constexpr int binades_below = BinWindow::width;
  static constexpr DigitRange digits = float_digits;
  static constexpr int bias = 127, fraction = 23, least_exponent = -149;

  int top;
  static __device__ int window_top_above(unsigned key) {
    return padded_top(static_cast<int>(key >> fraction) - bias + 1, least_exponent + BinWindow::width, 128);
  }
  static constexpr __device__ __forceinline__ int unit(int top, int level) {
    return top - BinWindow::width * (level + 1);
  }
  __device__ __forceinline__ unsigned end() const { return static_cast<unsigned>(top + bias) << fraction; }
  __device__ __forceinline__ unsigned lowest() const {
    const int last = unit(top, 0);
    return last <= least_exponent ? 0 : static_cast<unsigned>(last + fraction + bias) << fraction;
  }
  template <class Element>
  static __device__ __forceinline__ unsigned key(Element x, Element y) {
    return key_of_float(Which::signed_of(as_float(x), as_float(y)));
  }
  template <class Element>
  static __device__ bool is_finite(Element x, Element y) {
    return key(x, y) < key_of_infinite_float;
  }
  template <class Element>
  static __device__ __forceinline__ bool is_zero(Element x, Element y) {
    return key(x, y) == 0;
  }
  template <class Element>
  __device__ __forceinline__ void deposit(Element x, Element y, double (&bin)[levels]) const {
    bin[0] = __dadd_rn(bin[0], Which::of(widen(x), widen(y)));
  }
  template <class Element>
  __device__ __forceinline__ bool holds(Element x, Element y) const {
    const unsigned size = key(x, y);
    return size < end() &&
           (size >= lowest() || is_multiple(Which::of(widen(x), widen(y)), anchor_at(unit(top, 0))));
  }
  /// Adds a term that does not fit to the window and the low level; false if it does not fit these either.
  template <class Element>
  __device__ bool add_to_low_level(Element x, Element y, std::int64_t (&count)[levels],
                                   std::int64_t& below) const {
    return key(x, y) < end() && add_to_last_and_low_level(Which::of(widen(x), widen(y)), unit(top, 0),
                                                          unit(top, levels), count[0], below);
  }
  using Normal = AllNormal<float>;
  template <class Element>
  static __device__ __forceinline__ void observe(Element x, Element y, Normal& normal) {
    normal.observe(Which::of(as_float(x), as_float(y)));
  }
  template <bool IsNormal, class Element, class Spill>
  static __device__ __forceinline__ void spill(Element x, Element y, Spill&& to) {
    to.template add<IsNormal>(Which::of(as_float(x), as_float(y)));
  }

  /// See buckets.cuh. A bucket is a bin for 16 binades: terms are below 2^39 of its units. Zeros and
  /// subnormals have a field one lower than their exponent; they still land in the right bucket.
  struct Buckets {
    using Content = double;
    static constexpr int count = 16, max_terms = (1 << 12) - 1;
    static __device__ __forceinline__ int unit(int bucket) { return 16 * bucket + least_exponent - 1; }
    static __device__ __forceinline__ double empty(int bucket) { return anchor_at(unit(bucket)); }
    template <int Stride, class Element>
    static __device__ __forceinline__ void add(double* bucket, Element x, Element y) {
      const unsigned field = __float_as_uint(Which::of(as_float(x), as_float(y))) >> 23 & 0xffu;
      double& slot = bucket[field / 16 * Stride];
      slot = __dadd_rn(slot, Which::of(widen(x), widen(y)));
    }
  };
};

}  // namespace foldline::cuda
