// The polynomial through the samples of a Kronrod rule: whether it agrees with samples elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "quadrature/kronrod.hpp"

namespace foldline::quadrature {

/// Point i of 2 N - 1, from -1 to 1, of a rule that is given by its nodes from 0 to 1.
template <std::size_t N>
constexpr KronrodPoint point_of(const std::array<KronrodPoint, N>& rule, std::size_t i) {
  if (i >= N - 1) return rule[i - (N - 1)];
  const KronrodPoint& mirrored = rule[N - 1 - i];
  return {-mirrored.node, mirrored.weight, mirrored.gauss_weight};
}

template <std::size_t N>
class Interpolation {
 public:
  static constexpr std::size_t points = 2 * N - 1;

  explicit Interpolation(const std::array<KronrodPoint, N>& rule) {
    for (std::size_t i = 0; i < points; ++i) {
      node_[i] = point_of(rule, i).node;
      double product = std::ldexp(1.0, static_cast<int>(points) - 2);
      for (std::size_t j = 0; j < points; ++j)
        if (i != j) product *= node_[i] - point_of(rule, j).node;
      weight_[i] = 1 / product;
    }
  }

  /// The value at u of the polynomial through values g (barycentric formula, Berrut and Trefethen 2004).
  double value(const double* g, double u) const {
    std::array<double, points> part;  // divisions by themselves, since they can be vectors
    for (std::size_t i = 0; i < points; ++i) part[i] = weight_[i] / (u - node_[i]);
    double above = 0, below = 0;
    for (std::size_t i = 0; i < points; ++i) {
      above += part[i] * g[i];
      below += part[i];
    }
    if (std::isfinite(below)) return above / below;
    const auto nearest = std::ranges::min_element(node_, {}, [u](double node) { return std::abs(node - u); });
    return g[nearest - node_.begin()];
  }

  /// The magnitude of its last two Chebyshev coefficients: an estimate of the terms that are missing.
  double last_terms(const double* g) const {
    double last = 0, before = 0;
    for (std::size_t i = 0; i < points; ++i) {
      last += weight_[i] * g[i];
      before += 2 * weight_[i] * node_[i] * g[i];
    }
    return std::abs(last) + std::abs(before);
  }

  /// The distance between the nodes left and right of u, or an end.
  double gap(double u) const {
    double left = -1, right = 1;
    for (const double node : node_) {
      if (node <= u) left = node;
      if (node > u) {
        right = node;
        break;
      }
    }
    return right - left;
  }

 private:
  std::array<double, points> node_, weight_;  // barycentric weights, scaled so that T_(points - 1) has 1
};

}  // namespace foldline::quadrature
