// Results of sums in doubles (exact/bounded_sums.cuh), where these are certain of them.
#pragma once

#include <cstdint>

#include "cuda/axis/direct_task.hpp"
#include "cuda/exact/bounded_sums.cuh"
#include "cuda/finish/result_words.cuh"

namespace foldline::cuda {

/// The bits of a double rounded to a type.
__device__ __forceinline__ std::uint64_t narrowed(double x, ElementType type) {
  switch (type) {
    case ElementType::half:
      return __half_as_ushort(__double2half(x));
    case ElementType::bfloat16: {
      // Rounded to odd, a float's 16 more bits round once again as the double would have.
      const float f = __double2float_rz(x);
      const unsigned bits = __float_as_uint(f) | (static_cast<double>(f) != x ? 1u : 0u);
      return (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    }
    case ElementType::float32:
      return __float_as_uint(__double2float_rn(x));
    default:
      return bits_of(x);
  }
}

/// Rounds a sum of two doubles to odd: to the neighbour whose last bit is set unless it is a double.
__device__ __forceinline__ double rounded_to_odd(const SumAndError<double>& x) {
  std::uint64_t bits = bits_of(x.sum);
  if (x.error != 0 && (bits & 1) == 0) bits = (x.error > 0) == (x.sum > 0) ? bits + 1 : bits - 1;
  return from_bits(bits);
}

/// Rounds to a type. False if numbers of the interval round differently.
__device__ __forceinline__ bool round_interval(const Interval& x, ElementType type, std::uint64_t& bits) {
  if (x.bound == 0) {
    const SumAndError<double> sum = normalised(x.value, x.rest);
    bits = type == ElementType::float64 ? bits_of(sum.sum) : narrowed(rounded_to_odd(sum), type);
    return true;
  }
  const double bound = x.bound * (1 + 0x1p-40) + fabs(x.rest) * 0x1p-50;
  const double low = __dadd_rn(x.value, __dadd_rn(x.rest, -bound));
  const double high = __dadd_rn(x.value, __dadd_rn(x.rest, bound));
  if (!(low > 0 || high < 0)) return false;
  if (type == ElementType::float64) {
    bits = bits_of(low);
    return low == high;
  }
  // The ends were rounded themselves: the interval lies between their outer neighbours.
  bits = narrowed(from_bits(bits_of(low) + (low > 0 ? -1 : 1)), type);
  return bits == narrowed(from_bits(bits_of(high) + (low > 0 ? 1 : -1)), type);
}

/// A number and its rounded inverse.
struct Divisor {
  double value, inverse;
};
/// x / d; exact results have no bound.
__device__ __forceinline__ Interval divided(const Interval& x, const Divisor& d) {
  if (x.value == 0) return x;
  const double estimate = __dmul_rn(x.value, d.inverse);
  const double quotient = __fma_rn(__fma_rn(-estimate, d.value, x.value), d.inverse, estimate);
  const SumAndError<double> left = TwoSum(__fma_rn(-quotient, d.value, x.value), x.rest);
  const double rest = __dmul_rn(left.sum, d.inverse);
  const bool is_exact = left.error == 0 && __fma_rn(-rest, d.value, left.sum) == 0;
  return {quotient, rest, (is_exact ? 0 : fabs(rest) * 0x1p-48) + x.bound * d.inverse * 1.01};
}

/// The square root of x, whose bound is far below it.
__device__ __forceinline__ Interval root_of(const Interval& x) {
  if (x.value == 0) return x;
  const double root = __dsqrt_rn(x.value), inverse = __drcp_rn(root);
  const double left = __dadd_rn(__fma_rn(-root, root, x.value), x.rest);
  const double rest = __dmul_rn(left, 0.5 * inverse);
  return {root, rest, fabs(rest) * 0x1p-48 + x.bound * inverse};
}

/// n times the sum of squares less the square of the sum. Without bounds, all is exact.
__device__ __forceinline__ Interval spread_of(const Interval& values, const Interval& squares, double n) {
  const SumAndError<double> first = two_product(n, squares.value),
                            second = two_product(values.value, values.value),
                            more = two_product(n, squares.rest),
                            less = two_product(2 * values.value, values.rest);
  const SumAndError<double> difference = TwoSum(first.sum, -second.sum);
  SumAndError<double> rest = TwoSum(difference.error, first.error);
  double lost = fabs(rest.error);
  const auto add = [&](double x) {
    rest = TwoSum(rest.sum, x);
    lost += fabs(rest.error);
  };
  add(-second.error);
  add(more.sum);
  add(-less.sum);
  const double bound = values.bound + fabs(values.rest);
  const SumAndError<double> sum = TwoSum(difference.sum, rest.sum);
  return {sum.sum, sum.error,
          1.01 * (lost + fabs(more.error) + fabs(less.error) + n * squares.bound +
                  2 * fabs(values.value) * values.bound + bound * bound)};
}

/// What the results of a task depend on besides sums.
struct BoundedTask {
  Operation operation;
  ElementType type;
  Additions additions;
  Divisor count, squared_count;  // n and n (n - ddof)
  double degrees;                // n - ddof
  std::uint64_t nan;             // as a result
};

/// n times a sum of squared deviations, divided by n (n - ddof).
__device__ __forceinline__ Interval variance_of(const Interval& spread, const BoundedTask& task) {
  if (task.count.value <= longest_squared_count) return divided(spread, task.squared_count);
  return divided(divided(spread, task.count), {task.degrees, __drcp_rn(task.degrees)});
}

/// The result if infinities or NaN are among the elements; `sum` is that of doubles. False if that is NaN,
/// perhaps since finite doubles overflowed.
struct SpecialResult {
  bool is_certain;
  std::uint64_t bits;
};
template <class T, Terms Which>
__device__ __noinline__ SpecialResult special_result(bool has_nan, double sum, ElementType type,
                                                     std::uint64_t nan) {
  if (Which == Terms::spread || has_nan) return {true, nan};
  const bool is_infinite = Which != Terms::values || (bits_of(sum) & ~sign_bit) == infinity_bits;
  if (!is_infinite) return {!std::is_same_v<T, double>, nan};
  return {true, narrowed(Which == Terms::values ? sum : from_bits(infinity_bits), type)};
}

/// The result of an operation on the vector of these sums as bits; false if they are not certain of it.
template <class T, Terms Which, bool Again>
__device__ __forceinline__ bool bounded_result(const BoundedSums<T, Which, Again>& sums,
                                               const BoundedTask& task, std::uint64_t& bits) {
  constexpr double smallest = 0x1p-900;  // so that no remainder underflows
  if (!sums.keys.all_finite()) {
    const SpecialResult special =
        special_result<T, Which>(sums.keys.has_nan(), sums.values.sum, task.type, task.nan);
    bits = special.bits;
    return special.is_certain;
  }
  if (!sums.is_bounded()) return false;
  Interval result;
  if constexpr (Which == Terms::values || Which == Terms::magnitudes) {
    result = sums.sum_of_values(task.additions);
    if (task.operation == Operation::mean) {
      if (result.value != 0 && fabs(result.value) < smallest) return false;
      result = divided(result, task.count);
    }
  } else {
    result = sums.sum_of_squares(task.additions);
    if constexpr (Which == Terms::spread) {
      if (result.value != 0) {
        result = spread_of(sums.sum_of_values(task.additions), result, task.count.value);
        if (!(result.value > smallest)) return false;
        result = variance_of(result, task);
      }
    }
    const bool takes_mean =
        task.operation == Operation::root_mean_square || task.operation == Operation::standard_error;
    if (takes_mean) result = divided(result, task.count);
    if (task.operation != Operation::variance && result.value != 0) {
      if (!(result.value > smallest && result.bound < result.value * 0x1p-30)) return false;
      result = root_of(result);
    }
  }
  return round_interval(result, task.type, bits);
}

}  // namespace foldline::cuda
