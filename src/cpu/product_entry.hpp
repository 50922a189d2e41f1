// The last step of an exact matrix product: from sums of products to a rounded entry of C.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/rounding.hpp"

namespace foldline::cpu {

/// What products of slices add up to: sum over s of level[s * stride] 2^(exponent - s slice_bits), and less
/// than `left_out` times the unit of level 2 that is not there. |level[s]| < 2^62.
struct LevelSums {
  const std::int64_t* level;
  std::int64_t stride;
  int levels, exponent;
  std::int64_t left_out;
};

/// A result that may not be known yet.
struct PossibleEntry {
  double value;
  bool is_certain;
};

/// The sum rounded to a format, if its leading bits tell how.
PossibleEntry rounded(const LevelSums& sums, const FloatFormat& format);

/// The sum of levels of which none was left out.
void add_levels(const LevelSums& sums, ExactSum<ProductLimbs>& total);

/// alpha sum + beta c, rounded once. c is not looked at if beta is 0.
double rounded(const ExactSum<ProductLimbs>& sum, double alpha, double beta, double c,
               const FloatFormat& format);

}  // namespace foldline::cpu
