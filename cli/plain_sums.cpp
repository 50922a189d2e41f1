#include "plain_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace foldline::cli {
namespace {

/// Where a rule samples, in intervals from the lower end, and with which weights, times the interval's width.
class WeightedNodes {
 public:
  WeightedNodes(Rule rule, std::int64_t n) : kind_(rule.kind()), n_(n) {
    if (kind_ == Rule::Kind::gauss_legendre) gauss_ = gauss_legendre_nodes(rule.points());
  }

  std::int64_t count() const {
    if (kind_ == Rule::Kind::midpoint) return n_;
    if (kind_ == Rule::Kind::gauss_legendre) return n_ * points();
    return n_ + 1;
  }

  double node(std::int64_t k, double a, double h) const {
    if (kind_ == Rule::Kind::midpoint) return std::fma(static_cast<double>(k) + 0.5, h, a);
    if (kind_ != Rule::Kind::gauss_legendre) return std::fma(static_cast<double>(k), h, a);
    const double u = (1 + gauss_.nodes[static_cast<std::size_t>(k % points())]) / 2;
    const std::int64_t interval = k / points();
    return std::fma(u, h, std::fma(static_cast<double>(interval), h, a));
  }

  double weight(std::int64_t k) const {
    const bool is_end = k == 0 || k == n_;
    if (kind_ == Rule::Kind::trapezoid) return is_end ? 0.5 : 1;
    if (kind_ == Rule::Kind::simpson) return is_end ? 1 : k % 2 != 0 ? 4 : 2;
    if (kind_ == Rule::Kind::midpoint) return 1;
    return gauss_.weights[static_cast<std::size_t>(k % points())];
  }

  double width(double h) const {
    if (kind_ == Rule::Kind::simpson) return h / 3;
    return kind_ == Rule::Kind::gauss_legendre ? h / 2 : h;
  }

 private:
  std::int64_t points() const { return static_cast<std::int64_t>(gauss_.nodes.size()); }

  Rule::Kind kind_;
  std::int64_t n_;
  QuadratureNodes gauss_;
};

}  // namespace

double by_plain_sums(const Expression& f, double a, double b, Rule rule, std::int64_t n) {
  if (!std::isfinite(a) || !std::isfinite(b)) throw Error("a rule needs finite ends");
  constexpr std::int64_t block = 256;  // a formula is evaluated on many nodes at once, which is faster
  std::array<double, block> x, y;
  const WeightedNodes samples(rule, n);
  const double h = (b - a) / static_cast<double>(n);
  double sum = 0;
  for (std::int64_t first = 0; first < samples.count(); first += block) {
    const std::int64_t size = std::min(block, samples.count() - first);
    for (std::int64_t i = 0; i < size; ++i) x[static_cast<std::size_t>(i)] = samples.node(first + i, a, h);
    f(std::span(x).first(static_cast<std::size_t>(size)), y);
    for (std::int64_t i = 0; i < size; ++i) sum += samples.weight(first + i) * y[static_cast<std::size_t>(i)];
  }
  return sum * samples.width(h);
}

}  // namespace foldline::cli
