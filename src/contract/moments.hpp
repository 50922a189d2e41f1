// Moments: the exact sums, extrema and count that a backend computes for any operation. They can be merged in
// any order.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "contract/order_key.hpp"
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
    case Operation::standard_deviation:
    case Operation::standard_error:
      return {.values = true, .squares = true};
    case Operation::dot:
      return {.products = true};
    case Operation::weighted_mean:
      return {.values = true, .products = true};
    case Operation::minimum:
    case Operation::maximum:
    case Operation::range:
      return {.extrema = true};
    case Operation::statistics:
      break;
  }
  return {.values = true, .magnitudes = true, .squares = true, .extrema = true};
}

constexpr bool takes_two_vectors(Operation operation) {
  return operation == Operation::dot || operation == Operation::weighted_mean;
}

struct Moments {
  std::int64_t count = 0;
  /// Whether every element so far was -0, which decides the sign of a zero sum.
  bool only_negative_zeros = true;
  WideKey min_key = above_all, max_key = below_all;
  ExactSum<SumLimbs> values, magnitudes;
  ExactSum<ProductLimbs> products;  // of x and y, or squares of x

  void merge(const Moments& other) {
    count += other.count;
    only_negative_zeros = only_negative_zeros && other.only_negative_zeros;
    add_extrema(other.min_key, other.max_key);
    values.merge(other.values);
    magnitudes.merge(other.magnitudes);
    products.merge(other.products);
  }
  void add_extrema(WideKey low, WideKey high) {
    if (low < min_key) min_key = low;
    if (high > max_key) max_key = high;
  }
};

}  // namespace foldline
