// Moments: the exact sums, extrema and count that a backend computes for any operation. They can be merged in
// any order.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "contract/operation_table.hpp"
#include "contract/order_key.hpp"

namespace foldline {

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
