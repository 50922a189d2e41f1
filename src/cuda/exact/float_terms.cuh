// Term types of WindowedSum for floats and 16-bit types: elements, magnitudes, products and squares.
#pragma once

#include "cuda/exact/buckets.cuh"
#include "cuda/exact/windowed_terms.cuh"

namespace foldline::cuda {

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

/// Products of two floats, which have at most 48 significant bits, in a window of 44 binades and a low level
/// of 46 more. Two levels, 4 operations: the first fma rounds the product to the level's unit while adding
/// it, the second computes the remainder x y - taken, which also has at most 48 bits, so the third is exact.
///
/// The key is the sum of the factors' keys. It gives the exponent of the product up to a carry from the
/// fractions.
struct FloatProducts {
  static constexpr bool key_shows_infinities = false;
  static constexpr int levels = 2, max_batch = deposits_per_block;
  static constexpr int binades_below = BinWindow::width;
  static constexpr DigitRange digits = float_product_digits;
  static constexpr int bias = 127, fraction = 23, least_exponent = -298;

  int top;
  static __device__ int window_top_above(unsigned key) {
    return padded_top<4>(static_cast<int>(key >> fraction) - 2 * bias + 2,
                         least_exponent + levels * BinWindow::width, 256);
  }
  static constexpr __device__ __forceinline__ int unit(int top, int level) {
    return top - BinWindow::width * (level + 1);
  }
  __device__ __forceinline__ unsigned end() const {
    return static_cast<unsigned>(max(top + 2 * bias - 1, 0)) << fraction;
  }
  __device__ __forceinline__ unsigned lowest() const {
    const int last = unit(top, levels - 1);
    return last <= least_exponent ? 0 : static_cast<unsigned>(last - least_exponent + 3) << fraction;
  }
  template <class Element>
  static __device__ __forceinline__ unsigned key(Element x, Element y) {
    return key_of_float(as_float(x)) + key_of_float(as_float(y));
  }
  template <class Element>
  static __device__ bool is_finite(Element x, Element y) {
    return key_of_float(as_float(x)) < key_of_infinite_float &&
           key_of_float(as_float(y)) < key_of_infinite_float;
  }
  template <class Element>
  static __device__ __forceinline__ bool is_zero(Element x, Element y) {
    return key_of_float(as_float(x)) == 0 || key_of_float(as_float(y)) == 0;
  }
  template <class Element>
  __device__ __forceinline__ void deposit(Element x, Element y, double (&bin)[levels]) const {
    const double a = widen(x), b = widen(y);
    const double sum = __fma_rn(a, b, bin[0]);
    bin[1] = __dadd_rn(bin[1], __fma_rn(a, b, -__dadd_rn(sum, -bin[0])));
    bin[0] = sum;
  }
  template <class Element>
  __device__ __forceinline__ bool holds(Element x, Element y) const {
    const double product = __dmul_rn(widen(x), widen(y));
    const unsigned size = key(x, y);
    if (!(fabs(product) < power_of_two(top))) return false;
    return size >= lowest() || is_multiple(product, anchor_at(unit(top, levels - 1)));
  }
  /// Adds a term that does not fit to the window and the low level; false if it does not fit these either.
  template <class Element>
  __device__ bool add_to_low_level(Element x, Element y, std::int64_t (&count)[levels],
                                   std::int64_t& below) const {
    const double product = __dmul_rn(widen(x), widen(y));
    return fabs(product) < power_of_two(top) &&
           add_to_last_and_low_level(product, unit(top, levels - 1), unit(top, levels), count[levels - 1],
                                     below);
  }
  using Normal = AllNormal<float>;
  template <class Element>
  static __device__ __forceinline__ void observe(Element x, Element y, Normal& normal) {
    normal.observe(as_float(x));
    normal.observe(as_float(y));
  }
  template <bool AreNormal, class Element, class Spill>
  static __device__ __forceinline__ void spill(Element x, Element y, Spill&& to) {
    to.template add_product<AreNormal>(as_float(x), as_float(y));
  }

  /// See buckets.cuh. A bucket covers 32 sums of exponent fields. A term is below 2^47 units of the next
  /// bucket and is rounded to that unit; the remainder is at most 2^31 units of its own bucket. Contents are
  /// integers, since a bin has no room for that many bits.
  struct Buckets {
    using Content = std::int64_t;
    static constexpr int width = 32;
    static constexpr int count = 512 / width + 1, max_terms = 1 << 10;
    static __device__ __forceinline__ int unit(int bucket) { return width * bucket + least_exponent - 2; }
    static __device__ __forceinline__ std::int64_t empty(int) { return 0; }
    template <int Stride, class Element>
    static __device__ __forceinline__ void add(std::int64_t* bucket, Element x, Element y) {
      const unsigned fields = (__float_as_uint(as_float(x)) & key_of_infinite_float) +
                              (__float_as_uint(as_float(y)) & key_of_infinite_float);
      const int own = static_cast<int>((fields >> fraction) / width);
      const double a = widen(x), b = widen(y);
      const double upper = anchor_at(unit(own + 1)), lower = anchor_at(unit(own));
      const double sum = __fma_rn(a, b, upper);
      const double rest = __dadd_rn(__fma_rn(a, b, -__dadd_rn(sum, -upper)), lower);
      std::int64_t* const slot = bucket + own * Stride;
      slot[Stride] += __double_as_longlong(sum) - __double_as_longlong(upper);
      slot[0] += __double_as_longlong(rest) - __double_as_longlong(lower);
    }
  };
};

}  // namespace foldline::cuda
