// Sums in two doubles: one of the terms and one of its rounding errors, with a bound for what both together
// lack. Mostly it is zero: whether it is follows from the exponents of the largest and of the smallest
// element. docs/design/axis.md has the proof.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/lane.cuh"
#include "cuda/exact/key_range.cuh"

namespace foldline::cuda {

/// An unknown number within `bound` of value + rest.
struct Interval {
  double value, rest, bound;
};

/// The sum of two doubles and its error. A zero in second place leaves the first number its sign.
__device__ __forceinline__ SumAndError<double> normalised(double a, double b) {
  return b == 0 ? SumAndError<double>{a, 0.0} : TwoSum(a, b);
}
/// a * b = sum + error, exactly, far from underflow.
__device__ __forceinline__ SumAndError<double> two_product(double a, double b) {
  const double product = __dmul_rn(a, b);
  return {product, __fma_rn(a, b, -product)};
}

/// What is known of the additions of a vector of n elements, none of which is in more than c additions one
/// after another.
struct Additions {
  double count;
  double errors;    // c^2 * 2^-104: the errors' own errors, relative to the sum of magnitudes
  int log2_errors;  // log2(n) + log2(c), each rounded up
};

/// The sums that a kernel makes: of x, of |x|, of x^2, or of x and x^2.
enum class Terms { values, magnitudes, squares, spread };

/// Sums of some of a vector's elements of type T. `Again` takes the variance of doubles from differences, for
/// vectors without variance or far from zero.
template <class T, Terms Which, bool Again = false>
struct BoundedSums {
  using Element = T;
  static constexpr Terms terms = Which;
  static constexpr bool is_double = std::is_same_v<T, double>;
  static constexpr bool has_values = Which != Terms::squares;
  static constexpr bool has_squares = Which == Terms::squares || Which == Terms::spread;
  /// Of x - shift and its square, where the shift is the vector's first element: else the variance of numbers
  /// far from zero would be lost in rounding. Doubles have errors of their products instead, at first.
  static constexpr bool is_shifted = Which == Terms::spread && (!is_double || Again),
                        takes_first = is_shifted;
  static constexpr bool can_try_again = Which == Terms::spread && is_double && !Again;
  /// Elements that are added at a time, in plain doubles unless they are doubles.
  static constexpr int log_batch = 5;

  SumAndError<double> values{-0.0, 0.0}, squares{0.0, 0.0};
  KeyRange<T> keys;

  template <int N>
  __device__ __forceinline__ void add(const double (&x)[N], double shift) {
    static_assert(N <= 1 << log_batch);
    if constexpr (is_double) {
#pragma unroll
      for (int i = 0; i < N; ++i) {
        double t = term(x[i]);
        if constexpr (Again) {
          const SumAndError<double> difference = TwoSum(t, -shift);
          t = difference.sum;
          values.error = __dadd_rn(values.error, difference.error);
          squares.error = __fma_rn(2 * t, difference.error, squares.error);
        }
        if constexpr (has_values) add(values, t);
        if constexpr (has_squares) {
          const SumAndError<double> square = two_product(t, t);
          squares.error = __dadd_rn(squares.error, square.error);
          add(squares, square.sum);
        }
      }
    } else {
      double sum[2] = {-0.0, -0.0}, sum_of_squares[2] = {0, 0};
#pragma unroll
      for (int i = 0; i < N; ++i) {
        const double t = is_shifted ? __dadd_rn(x[i], -shift) : term(x[i]);
        if constexpr (has_values) sum[i % 2] = __dadd_rn(sum[i % 2], t);
        if constexpr (has_squares) sum_of_squares[i % 2] = __fma_rn(t, t, sum_of_squares[i % 2]);
      }
      if constexpr (has_values) add(values, __dadd_rn(sum[0], sum[1]));
      if constexpr (has_squares) add(squares, __dadd_rn(sum_of_squares[0], sum_of_squares[1]));
    }
  }
  __device__ __forceinline__ void merge(const BoundedSums& other) {
    if constexpr (has_values) merge(values, other.values);
    if constexpr (has_squares) merge(squares, other.squares);
    keys.merge(other.keys);
  }
  /// Adds the sums of the lane at a distance to those of this one.
  __device__ __forceinline__ void merge_lane(int distance) {
    BoundedSums other;
    const auto take = [distance](auto of) { return __shfl_xor_sync(0xffffffffu, of, distance); };
    if constexpr (has_values) other.values = {take(values.sum), take(values.error)};
    if constexpr (has_squares) other.squares = {take(squares.sum), take(squares.error)};
    other.keys = keys;
    merge(other);
    keys.merge_lane(distance);
  }

  /// Whether the bounds below hold, for finite elements.
  __device__ bool is_bounded() const {
    if (!is_double || keys.all_zero()) return true;
    const int top = keys.top();
    return has_squares ? top <= 450 && keys.unit() >= -530 : top <= 900 && top >= -700;
  }
  __device__ Interval sum_of_values(const Additions& of) const {
    const SumAndError<double> total = normalised(values.sum, values.error);
    const bool plain = is_double || span() + log_batch <= 53;
    const bool errors = of.log2_errors + span() <= 106;
    if (plain && errors) return {total.sum, total.error, 0};
    // the sum of magnitudes
    const double size =
        is_shifted ? 1.01 * sqrt(of.count * squares.sum) : of.count * power_of_two(keys.top());
    return {total.sum, total.error, size * ((plain ? 0 : 0x1p-47) + (errors ? 0 : of.errors))};
  }
  __device__ Interval sum_of_squares(const Additions& of) const {
    const SumAndError<double> total = normalised(squares.sum, squares.error);
    const bool plain = is_double || 2 * span() + log_batch <= 53;
    const bool errors = of.log2_errors + 1 + 2 * span() <= 106;
    return {total.sum, total.error, squares.sum * ((plain ? 0 : 0x1p-46) + (errors ? 0 : 4 * of.errors))};
  }

 private:
  static __device__ __forceinline__ double term(double x) { return Which == Terms::magnitudes ? fabs(x) : x; }
  static __device__ __forceinline__ void add(SumAndError<double>& to, double x) {
    const SumAndError<double> next = TwoSum(to.sum, x);
    to = {next.sum, __dadd_rn(to.error, next.error)};
  }
  static __device__ __forceinline__ void merge(SumAndError<double>& to, const SumAndError<double>& other) {
    const double error = __dadd_rn(to.error, other.error);
    const SumAndError<double> next = TwoSum(to.sum, other.sum);
    to = {next.sum, __dadd_rn(error, next.error)};
  }
  /// Terms are multiples of a power of two and below 2^span times that.
  __device__ int span() const {
    return keys.all_zero() ? 0 : keys.top() - keys.unit() + (is_shifted ? 1 : 0);
  }
};

}  // namespace foldline::cuda
