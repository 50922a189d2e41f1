// What a backend gathers for any operation: exact sums of terms, extrema, a count. Merging two of them in any
// order gives the same.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "foldline/accumulator.hpp"

namespace foldline {

/// The sums and extrema that an operation needs.
struct Needs {
  bool values = false;      // sum of x_i (of w_i for a weighted mean)
  bool magnitudes = false;  // sum of |x_i|
  bool squares = false;     // sum of x_i^2
  bool products = false;    // sum of x_i y_i
  bool extrema = false;
};

constexpr Needs needs_of(Operation operation) {
  switch (operation) {
    case Operation::sum:
    case Operation::mean:
      return {.values = true};
    case Operation::abs_sum:
      return {.magnitudes = true};
    case Operation::two_norm:
      return {.squares = true};
    case Operation::variance:
      return {.values = true, .squares = true};
    case Operation::dot:
      return {.products = true};
    case Operation::weighted_mean:
      return {.values = true, .products = true};
    case Operation::minimum:
    case Operation::maximum:
      return {.extrema = true};
    case Operation::statistics:
      break;
  }
  return {.values = true, .magnitudes = true, .squares = true, .extrema = true};
}

constexpr bool takes_two_vectors(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}

/// Doubles ordered as integers: -inf < ... < -0 < +0 < ... < +inf, NaNs beyond either end.
FOLDLINE_HOST_DEVICE inline std::int64_t order_key(double x) {
  const auto bits = static_cast<std::int64_t>(bits_of(x));
  return bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1);
}
FOLDLINE_HOST_DEVICE inline double from_order_key(std::int64_t key) {
  return from_bits(static_cast<std::uint64_t>(key) ^ static_cast<std::uint64_t>(key >> 63) >> 1);
}

struct Moments {
  std::int64_t count = 0;
  /// Whether every element so far was -0: the one thing about a zero sum that its limbs don't know.
  bool only_negative_zeros = true;
  std::int64_t min_key = INT64_MAX, max_key = INT64_MIN;
  ExactSum<SumLimbs> values, magnitudes;
  ExactSum<ProductLimbs> products;  // of x and y, or squares of x

  void merge(const Moments& other) {
    count += other.count;
    only_negative_zeros = only_negative_zeros && other.only_negative_zeros;
    if (other.min_key < min_key) min_key = other.min_key;
    if (other.max_key > max_key) max_key = other.max_key;
    values.merge(other.values);
    magnitudes.merge(other.magnitudes);
    products.merge(other.products);
  }
};

}  // namespace foldline
