// Sums of a few 16-bit floating-point numbers in single doubles, and their results where these are certain.
#pragma once

#include "cuda/axis/bounded_result.cuh"
#include "cuda/axis/direct_task.hpp"
#include "cuda/axis/extremum.cuh"

namespace foldline::cuda {

// Of at most most_plain_terms elements, so that no sum lacks more than 2^-48 of its terms' magnitudes.

/// Rounds y / d, or its root, to 16 bits. y is within `bound` of what it stands for, which is at most 2^-16
/// y; products of d and the square of a float16 are doubles. False if that is uncertain or near the ends of
/// the type.
template <class T>
__device__ __forceinline__ bool round_quotient(double y, double bound, const Divisor& d, bool is_root,
                                               std::uint64_t& bits) {
  constexpr bool is_half = std::is_same_v<T, Half>;
  constexpr unsigned dropped = is_half ? 13 : 16, less = is_half ? (127 - 15) << 10 : 0,
                     infinite = is_half ? 0x7c00 : 0x7f80;
  // Roots of at least 2^-13, too, are normal numbers.
  const unsigned least = (is_half ? is_root ? 127u - 26 : 127u - 13 : 2u) << 23, end = 254u << 23;
  float estimate = __double2float_rz(__dmul_rn(y, d.inverse));
  if (__float_as_uint(estimate) - least >= end - least) return false;
  if (is_root) estimate *= rsqrtf(estimate);
  // Rounded down, and halfway to the next number: the estimate is nearer to the number than half of that.
  const unsigned down = __float_as_uint(estimate) >> dropped;
  const double middle = __uint_as_float(down << dropped | 1u << (dropped - 1));
  const double beyond = __fma_rn(-(is_root ? __dmul_rn(middle, middle) : middle), d.value, y);
  bits = min(down - less + (beyond > 0 ? 1u : 0u), infinite);
  return fabs(beyond) > bound;
}

/// The sums of the terms of BoundedSums.
template <class T, Terms Which>
struct PlainSums {
  static constexpr bool is_spread = Which == Terms::spread;
  static constexpr ElementType type = std::is_same_v<T, Half> ? ElementType::half : ElementType::bfloat16;
  double values = Which == Terms::values ? -0.0 : 0.0, squares = 0;

  /// `shift` is the first element if is_spread.
  __device__ __forceinline__ void add(double x, double shift) {
    const double t = is_spread ? __dadd_rn(x, -shift) : Which == Terms::magnitudes ? fabs(x) : x;
    if constexpr (Which != Terms::squares) values = __dadd_rn(values, t);
    if constexpr (Which == Terms::squares || is_spread) squares = __fma_rn(t, t, squares);
  }

  /// The result in the elements' type. `is_exact` tells that sums of finite values are.
  __device__ __forceinline__ bool result(const BoundedTask& task, bool is_exact, std::uint64_t& bits) const {
    if constexpr (Which == Terms::squares) {
      const bool takes_mean = task.operation == Operation::root_mean_square;
      return round_quotient<T>(squares, squares * 0x1p-47, takes_mean ? task.count : Divisor{1, 1}, true,
                               bits) ||
             is_simple(task, bits);
    } else if constexpr (is_spread) {
      const double n = task.count.value, all = __dmul_rn(n, squares);
      Divisor d = task.squared_count;
      if (task.operation == Operation::standard_error)
        d = {__dmul_rn(d.value, n), __dmul_rn(d.inverse, task.count.inverse)};
      const double y = __fma_rn(-values, values, all), bound = all * 0x1p-45;
      return (bound <= y * 0x1p-16 &&
              round_quotient<T>(y, bound, d, task.operation != Operation::variance, bits)) ||
             is_simple(task, bits);
    } else {
      // Doubles hold all such sums: others have infinite or NaN elements.
      if ((bits_of(values) & ~sign_bit) >= infinity_bits) {
        bits = values != values ? task.nan : narrowed(values, type);
        return true;
      }
      double exact = values;
      if (task.operation == Operation::mean) {
        const Interval mean = divided({values, 0, 0}, task.count);
        exact = rounded_to_odd({mean.value, mean.rest});
      }
      bits = narrowed(exact, type);
      return is_exact;
    }
  }

 private:
  /// Zeros, and sums of infinite and NaN elements: all others are finite in doubles.
  __device__ __forceinline__ bool is_simple(const BoundedTask& task, std::uint64_t& bits) const {
    const bool is_finite = (bits_of(squares) & ~sign_bit) < infinity_bits;
    bits = is_finite ? 0 : is_spread || squares != squares ? task.nan : narrowed(squares, type);
    return !is_finite || squares == 0;
  }
};

}  // namespace foldline::cuda
