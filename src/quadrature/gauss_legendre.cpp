// Nodes and weights of the Gauss-Legendre rule: Newton's method on the recurrence of Legendre's polynomials.
#include <cmath>
#include <numbers>
#include <string>

#include "foldline/quadrature.hpp"
#include "quadrature/double_double.hpp"

namespace foldline {

namespace {

using quadrature::DoubleDouble;

constexpr int max_points = 10'000;

/// P_n(x) and P_(n-1)(x), by (j + 1) P_(j+1) = (2j + 1) x P_j - j P_(j-1).
template <class T>
struct Legendre {
  T value, before;
};

template <class T>
Legendre<T> legendre(int n, const T& x) {
  T before{1}, value = x;
  for (int j = 1; j < n; ++j) {
    const T next = (T{2.0 * j + 1} * x * value - T{1.0 * j} * before) / T{j + 1.0};
    before = value;
    value = next;
  }
  return {value, before};
}

/// The Newton step P_n(x) / P_n'(x).
template <class T>
T newton_step(int n, const T& x) {
  const Legendre<T> p = legendre(n, x);
  return p.value * (T{1} - x * x) / (T{1.0 * n} * (p.before - x * p.value));
}

/// The k-th node from the right, k = 1, 2, ..., n / 2. Newton's method in doubles is accurate to a few last
/// places; one step in twice the precision squares the error away.
DoubleDouble node_of(int n, int k) {
  const double size = n;
  // Tricomi's approximation (1950), some 1/n^4 off.
  double x =
      (1 - (1 - 1 / size) / (8 * size * size)) * std::cos(std::numbers::pi * (4 * k - 1) / (4 * size + 2));
  for (int step = 0; step < 3; ++step) x -= newton_step(n, x);
  return DoubleDouble{x} - newton_step(n, DoubleDouble{x});
}

/// 2 (1 - x^2) / (n P_(n-1)(x))^2, at a node x.
DoubleDouble weight_of(int n, const DoubleDouble& x) {
  const DoubleDouble p = DoubleDouble{1.0 * n} * legendre(n, x).before;
  return DoubleDouble{2} * (DoubleDouble{1} - x * x) / (p * p);
}

}  // namespace

QuadratureNodes gauss_legendre_nodes(int points) {
  if (points < 1 || points > max_points)
    throw InvalidArgument("gauss_legendre: " + std::to_string(points) + " points; use 1 to " +
                          std::to_string(max_points) + ", and more intervals rather than more points");
  const auto size = static_cast<std::size_t>(points);
  QuadratureNodes rule{std::vector<double>(size), std::vector<double>(size)};
  for (std::size_t i = 0; i < (size + 1) / 2; ++i) {
    const bool is_centre = 2 * i + 1 == size;
    const DoubleDouble x = is_centre ? DoubleDouble{} : node_of(points, static_cast<int>(i) + 1);
    rule.nodes[i] = -x.rounded();
    rule.nodes[size - 1 - i] = x.rounded();
    rule.weights[i] = rule.weights[size - 1 - i] = weight_of(points, x).rounded();
  }
  return rule;
}

}  // namespace foldline
