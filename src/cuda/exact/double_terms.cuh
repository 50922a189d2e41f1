// Term types of WindowedSum for doubles: elements, magnitudes, products and squares.
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

/// What term types of products of two doubles have in common.
struct OfDoubleProducts {
  static constexpr DigitRange digits = double_product_digits;
  static __device__ bool is_finite(double x, double y) {
    return key_of_double(x) < key_of_infinite_double && key_of_double(y) < key_of_infinite_double;
  }
  using Normal = AllNormal<double>;
  static __device__ __forceinline__ void observe(double x, double y, Normal& normal) {
    normal.observe(x);
    normal.observe(y);
  }
  template <bool AreNormal, class Spill>
  static __device__ __forceinline__ void spill(double x, double y, Spill&& to) {
    to.template add_product<AreNormal>(x, y);
  }
};

/// Products or squares of doubles in a window of 44 binades and a low level of 46 more. The rounded product p
/// = x y and its error e = x y - p have two levels each: 10 operations. (Four levels for both take 16;
/// squares as products of three slices of x, in five levels, 13.)
///
/// p is below 2^top and e at most 2^-54 of that. The first level of each takes the nearest multiple of its
/// unit and leaves at most half a unit, so eight terms of a level add up to at most 2^51. (Exactly 2^51 only
/// in the last level; this is the end of the binade, where the difference of the bits from the anchor's is
/// still right.) The key is that of p, so it shows infinities. It also bounds the lowest bit: if p >= 2^q
/// then p is a multiple of 2^(q - 52) and x y of 2^(q - 105), because the largest 106-bit number that is a
/// product of two 53-bit numbers would round to less than 2^q if its lowest bit were lower.
template <bool AreSquares>
struct DoubleProductsApart : OfDoubleProducts {
  static constexpr bool key_shows_infinities = true, suits_limbs = AreSquares;
  static constexpr int levels = 4, max_batch = 8;
  static constexpr int binades = 44, binades_below = 46;

  int top;
  /// Padded to multiples of 8 binades (squares 4), since in blocks of normally distributed numbers the
  /// largest terms differ by factors of two and four.
  static __device__ int window_top_above(unsigned key) {
    return padded_top<AreSquares ? 4 : 8>(static_cast<int>(key >> 20) - exponent_bias + 1,
                                          smallest_exponent - unit(0, levels - 1), BinWindow::highest_top);
  }
  static constexpr __device__ __forceinline__ int unit(int top, int level) {
    constexpr int of_first = 47, of_product = of_first + 49, of_error = 54 + 47, of_last = of_error + 48;
    static_assert(binades + 52 <= of_product && binades + 105 <= of_last);
    static_assert(max_batch == 8 && of_first + 3 <= 51 && of_product - of_first - 1 + 3 <= 51 &&
                  of_error - 54 + 3 <= 51 && of_last - of_error - 1 + 3 <= 51);
    const int below_top = level == 0   ? of_first
                          : level == 1 ? of_product
                          : level == 2 ? of_error
                          : level == 3 ? of_last
                                       : of_last + binades_below;
    return top - below_top;
  }
  __device__ __forceinline__ unsigned end() const { return static_cast<unsigned>(top + exponent_bias) << 20; }
  __device__ __forceinline__ unsigned lowest() const {
    return static_cast<unsigned>(top - binades + exponent_bias) << 20;
  }
  static __device__ __forceinline__ unsigned key(double x, double y) {
    return AreSquares ? high_bits(__dmul_rn(x, x)) : key_of_double(__dmul_rn(x, y));
  }
  __device__ __forceinline__ void deposit(double x, double y, double (&bin)[levels]) const {
    const double p = __dmul_rn(x, y);
    add(p, bin[0], bin[1]);
    add(__fma_rn(x, y, -p), bin[2], bin[3]);
  }
  __device__ __forceinline__ bool holds(double x, double y) const {
    const double p = __dmul_rn(x, y);
    const unsigned size = key(x, y);
    if (size >= lowest()) return size < end();
    constexpr unsigned of_exact_errors = static_cast<unsigned>(smallest_exponent + 105 + exponent_bias) << 20;
    if (size < of_exact_errors) return x == 0 || y == 0;
    return is_multiple(p, anchor_at(unit(top, 1))) &&
           is_multiple(__fma_rn(x, y, -p), anchor_at(unit(top, 3)));
  }
  /// Adds a product that does not fit to the window and the low level; false if it does not fit these either.
  __device__ bool add_to_low_level(double x, double y, std::int64_t (&count)[levels],
                                   std::int64_t& below) const {
    const double p = __dmul_rn(x, y);
    constexpr unsigned keys_below = unsigned{binades_below} << 20;
    const unsigned size = key(x, y);
    if (size >= end() || size < lowest() - keys_below || unit(top, levels) < smallest_exponent) return false;
    for (double t : {p, __fma_rn(x, y, -p)}) {  // the first is below 2^3 units of level 0
      for (int k = 0; k < levels; ++k) t = take_units(t, unit(top, k), count[k]);
      take_units(t, unit(top, levels), below);
    }
    return true;
  }

 private:
  static __device__ __forceinline__ void add(double t, double& first, double& second) {
    const double sum = __dadd_rn(first, t);
    second = __dadd_rn(second, __dadd_rn(t, -__dadd_rn(sum, -first)));
    first = sum;
  }
};

/// Squares of doubles within 39 binades of x. The rounded square p = x x and its error e = x x - p share four
/// levels: 16 operations. For few squares, where ordinary data must leave no misfits.
///
/// Why two levels each suffice: the window holds squares of normal numbers. If |x| >= 2^q, x x is a multiple
/// of 2^(2 q - 104), which the unit of the fourth level divides, and p of 2^(2 q - 52). So p ends at the
/// third level, whose unit is 2^46 times the fourth's, and e starts at the second. (This does not hold for
/// products: with a subnormal factor, p may have as many bits as x y.)
///
/// The key is twice that of x. It gives the exponent of the square up to a carry from the fraction.
struct DoubleSquares : OfDoubleProducts {
  static constexpr bool key_shows_infinities = false;
  static constexpr int levels = 4, max_batch = deposits_per_block / 2;
  static_assert(BinWindow::width <= 52);

  int top;
  /// Padded to multiples of 8 binades, since in blocks of normally distributed numbers the largest squares
  /// differ by factors of two and four.
  static __device__ int window_top_above(unsigned key) {
    return padded_top<8>(static_cast<int>(key >> 20) - 2 * exponent_bias + 2,
                         smallest_exponent + levels * BinWindow::width, BinWindow::highest_top);
  }
  static constexpr __device__ __forceinline__ int unit(int top, int level) {
    return top - BinWindow::width * (level + 1);
  }
  __device__ __forceinline__ unsigned end() const {
    return static_cast<unsigned>(top + 2 * exponent_bias - 1) << 20;
  }
  __device__ __forceinline__ unsigned lowest() const {
    return static_cast<unsigned>(unit(top, levels - 1) + 2 * significand_bias + 1) << 20;
  }
  static __device__ __forceinline__ unsigned key(double x, double y) {
    return key_of_double(x) + key_of_double(y);
  }
  __device__ __forceinline__ void deposit(double x, double y, double (&bin)[levels]) const {
    const double p = __dmul_rn(x, y);
    add<0, 2>(p, bin);
    add<1, 3>(__fma_rn(x, y, -p), bin);
  }
  __device__ __forceinline__ bool holds(double x, double y) const {
    if (x == 0 || y == 0) return is_finite(x, y);
    const unsigned size = key(x, y);
    return is_finite(x, y) && size < end() && size >= lowest();
  }

 private:
  template <int FirstLevel, int LastLevel>
  static __device__ __forceinline__ void add(double t, double (&bin)[levels]) {
#pragma unroll
    for (int k = FirstLevel; k < LastLevel; ++k) {
      const double sum = __dadd_rn(bin[k], t);
      t = __dadd_rn(t, -__dadd_rn(sum, -bin[k]));
      bin[k] = sum;
    }
    bin[LastLevel] = __dadd_rn(bin[LastLevel], t);
  }
};

}  // namespace foldline::cuda
