// From exact sums to the results of operations, by one rounding each, for the host and for GPU threads:
// therefore callers pass the memory of long numbers.
//
// A Sum has `specials`, and `magnitude(number)`, which sets the number and returns its sign and exponent.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/rounding.hpp"
#include "contract/order_key.hpp"
#include "foldline/operation.hpp"
#include "foldline/types.hpp"

namespace foldline {

constexpr FloatFormat format_of(ElementType type) {
  switch (type) {
    case ElementType::half:
      return format_of_half;
    case ElementType::bfloat16:
      return format_of_bfloat16;
    case ElementType::float32:
      return format_of_float;
    default:
      return format_of_double;
  }
}

/// The signed zero of a sum that is exactly zero.
FOLDLINE_HOST_DEVICE inline double zero_sum(std::int64_t count, bool only_negative_zeros) {
  return from_bits(count > 0 && only_negative_zeros ? sign_bit : 0);
}

template <class Sum, class Number>
FOLDLINE_HOST_DEVICE double rounded_sum(const Sum& sum, double zero, const FloatFormat& format,
                                        Number& number) {
  if (sum.specials.any()) return sum.specials.sum();
  const auto [negative, exponent] = sum.magnitude(number);
  return number.is_zero() ? zero : round(negative, leading_bits(number, exponent), format);
}

/// The result of an operation that needs the sum of squares alone.
template <class Sum, class Number>
FOLDLINE_HOST_DEVICE double rounded_of_squares(Operation operation, const Sum& squares, std::int64_t count,
                                               const FloatFormat& format, Number& number) {
  const bool is_mean = operation == Operation::root_mean_square;
  if (is_mean && count == 0) return from_bits(canonical_nan);
  if (squares.specials.any()) return squares.specials.sum();
  const auto [negative, exponent] = squares.magnitude(number);
  if (number.is_zero()) return 0.0;
  const auto n = static_cast<std::uint64_t>(count);
  return round(false, is_mean ? leading_root(number, exponent, Divisors{n}) : leading_root(number, exponent),
               format);
}

/// `zero`: the signed zero to return for a zero sum.
template <class Sum, class Number>
FOLDLINE_HOST_DEVICE double rounded_mean(const Sum& values, std::int64_t count, double zero,
                                         const FloatFormat& format, Number& number) {
  if (count == 0) return from_bits(canonical_nan);
  if (values.specials.any()) return values.specials.sum();
  const auto [negative, exponent] = values.magnitude(number);
  if (number.is_zero()) return zero;
  return round(negative, leading_quotient(number, exponent, static_cast<std::uint64_t>(count), 1), format);
}

template <class Number>
struct VarianceScratch {
  Number numerator, sum, square;
};

/// n * sum(x^2) - sum(x)^2 = numerator * 2^(returned exponent). It is not negative (Cauchy and Schwarz), and
/// exact.
template <class Sum, class SumOfSquares, class Number>
FOLDLINE_HOST_DEVICE int variance_numerator(const Sum& values, const SumOfSquares& squares,
                                            std::int64_t count, VarianceScratch<Number>& numbers) {
  auto& [numerator, sum, square] = numbers;
  const int squares_exponent = squares.magnitude(square).exponent;
  const int sum_exponent = values.magnitude(sum).exponent;
  multiply(square, natural_of<2>(static_cast<std::uint64_t>(count)), numerator);
  multiply(sum, sum, square);
  if (square.is_zero()) return squares_exponent;
  const int exponent = squares_exponent < 2 * sum_exponent ? squares_exponent : 2 * sum_exponent;
  shift_up(numerator, squares_exponent - exponent);
  shift_up(square, 2 * sum_exponent - exponent);
  subtract(numerator, square);
  return exponent;
}

/// What the variance of an operation is divided by before its root is taken; see Divisors.
FOLDLINE_HOST_DEVICE inline Divisors divisors_of(Operation operation, std::int64_t count, std::int64_t ddof) {
  const auto n = static_cast<std::uint64_t>(count);
  return {n, n - static_cast<std::uint64_t>(ddof), operation == Operation::standard_error ? n : 1};
}

/// The result of an operation that needs the sums of values and of squares: the variance or a root of it.
template <class Sum, class SumOfSquares, class Number>
FOLDLINE_HOST_DEVICE double rounded_spread(Operation operation, const Sum& values,
                                           const SumOfSquares& squares, std::int64_t count, std::int64_t ddof,
                                           const FloatFormat& format, VarianceScratch<Number>& numbers) {
  if (count <= ddof || values.specials.any() || squares.specials.any()) return from_bits(canonical_nan);
  const int exponent = variance_numerator(values, squares, count, numbers);
  if (numbers.numerator.is_zero()) return 0.0;
  const Divisors divisors = divisors_of(operation, count, ddof);
  return round(false,
               operation == Operation::variance
                   ? leading_quotient(numbers.numerator, exponent, divisors.first, divisors.second)
                   : leading_root(numbers.numerator, exponent, divisors),
               format);
}

/// The sum of products divided by that of weights.
template <class Sum, class SumOfProducts, class Number>
FOLDLINE_HOST_DEVICE double rounded_weighted_mean(const Sum& weights, const SumOfProducts& products,
                                                  const FloatFormat& format, Number& divisor,
                                                  Number& dividend) {
  const auto weight = weights.magnitude(divisor);
  const auto product = products.magnitude(dividend);
  if (weights.specials.any() || divisor.is_zero()) return from_bits(canonical_nan);
  if (products.specials.any()) {
    const double sum = products.specials.sum();
    if ((bits_of(sum) & ~sign_bit) != infinity_bits) return sum;
    return from_bits(bits_of(sum) ^ (weight.negative ? sign_bit : 0));
  }
  if (dividend.is_zero()) return 0.0;
  return round(product.negative != weight.negative,
               leading_quotient(dividend, divisor, product.exponent - weight.exponent), format);
}

/// The key of an element whose 64 bits order as the elements do: order_key() of a floating-point number, an
/// integer, or for uint64 the integer with its top bit inverted.
FOLDLINE_HOST_DEVICE inline WideKey wide_key_of(std::int64_t key, ElementType type) {
  switch (type) {
    case ElementType::half:
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::float64:
      return wide_key(from_order_key(key));
    case ElementType::uint64:
      return wide_key(static_cast<std::uint64_t>(key) ^ sign_bit);
    default:
      return wide_key(key);
  }
}

/// Keys of the smallest and the largest element.
struct ExtremeKeys {
  WideKey lowest, highest;
  bool empty;
  FOLDLINE_HOST_DEVICE bool is_nan() const {
    return empty || lowest < ~wide_infinity || highest > wide_infinity;
  }
};

/// NaN or an infinity if the extremum, one of the two keys, is not finite, else +0. NaN also for an empty
/// vector.
FOLDLINE_HOST_DEVICE inline double special_extremum(WideKey key, const ExtremeKeys& extrema) {
  if (extrema.is_nan()) return from_bits(canonical_nan);
  if (key == wide_infinity) return from_bits(infinity_bits);
  return from_bits(key == ~wide_infinity ? infinity_bits | sign_bit : 0);
}

FOLDLINE_HOST_DEVICE inline double rounded_extremum(WideKey key, const ExtremeKeys& extrema,
                                                    const FloatFormat& format) {
  if (const double special = special_extremum(key, extrema); bits_of(special) != 0) return special;
  const Decomposed parts = from_wide_key(key);
  if (parts.significand == 0) return from_bits(parts.negative ? sign_bit : 0);
  return round(parts.negative, {parts.significand, parts.exponent, false}, format);
}

}  // namespace foldline
