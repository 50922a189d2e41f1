/// @file
/// What composite rules are wherever their samples are taken: on the CPU, or on a GPU (cuda/quadrature.cuh).
#pragma once

#include <cstdint>

#include "foldline/accumulator.hpp"
#include "foldline/export.hpp"
#include "foldline/quadrature.hpp"

namespace foldline::detail {

/// Throws InvalidArgument unless the rule can be applied to n intervals from a to b.
FOLDLINE_API void require_rule(double a, double b, Rule rule, std::int64_t n);

constexpr bool has_weights(Rule rule) { return rule.kind() == Rule::Kind::gauss_legendre; }
/// Whether there are samples at the ends of intervals, which neighbours share.
constexpr bool has_ends(Rule rule) {
  return rule.kind() == Rule::Kind::trapezoid || rule.kind() == Rule::Kind::simpson;
}
constexpr std::int64_t sample_count(Rule rule, std::int64_t n) {
  return has_weights(rule) ? n * rule.points() : n + (has_ends(rule) ? 1 : 0);
}

/// Where an interval of the Gauss-Legendre rule is sampled, as parts of its width, and the weights, which
/// are those of an interval of length 2.
inline QuadratureNodes points_of_interval(Rule rule) {
  QuadratureNodes points = gauss_legendre_nodes(rule.points());
  for (double& node : points.nodes) node = (1 + node) / 2;
  return points;
}

/// Exact sums of a rule's samples. Adding up those of any parts gives the same.
struct RuleSums {
  explicit RuleSums(Rule rule) : all(has_weights(rule) ? Operation::dot : Operation::sum) {}

  Accumulator all;                   ///< of all samples, times their weights if the rule has any
  Accumulator odd{Operation::sum};   ///< of Simpson's rule: samples 1, 3, 5, ...
  Accumulator ends{Operation::sum};  ///< minus the first and the last sample, if the rule has ends
  std::int64_t non_finite = 0;       ///< samples that are NaN or infinite

  void merge(const RuleSums& other) {
    all.merge(other.all);
    odd.merge(other.odd);
    ends.merge(other.ends);
    non_finite += other.non_finite;
  }
};

/// The rule's result from its sums: the one rounding.
FOLDLINE_API Integral integral_of(RuleSums sums, double a, double b, Rule rule, std::int64_t n);

}  // namespace foldline::detail
