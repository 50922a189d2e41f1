// Whether an integral of |f| converges, judged by its values over growing parts of the interval.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

namespace foldline::quadrature {

/// Each level of bisection comes nearer to a singularity by a factor of 2. If f is like |x - c|^-p there,
/// what a level adds to the integral of |f| changes by 2^(p - 1): it must fall by a constant factor. If the
/// factor approaches 1, nothing can be concluded: it does so for 1 / (x log x) and for 1 / (x log(x)^2), of
/// which only the latter has an integral.
class Decay {
 public:
  /// Adds the integral of |f| after one more level, of which `noise` may be rounding.
  void add(double magnitude, double noise) {
    if (noise > largest_noise) is_over_ = true;
    if (is_over_) return;
    if (std::isfinite(last_)) logarithms_.push_back(std::log(std::abs(magnitude - last_)));
    last_ = magnitude;
    noise_ = noise;
  }

  /// Whether the terms fall at a steady rate.
  bool is_sure() const {
    if (logarithms_.size() < 3 || is_over_) return false;
    const Slope now = recent();
    // Where the terms are irregular, as at a jump that bisection meets in other places each time, a sequence
    // may look as if it had a limit by chance.
    if (now.deviation > largest_deviation) return false;
    const double slope = now.value + 3 * now.deviation;
    if (slope < steep) return true;
    if (slope >= -least_slope - noise_ || logarithms_.size() < 8) return false;
    return 1.25 * last(logarithms_.size() / 4 + 2).value < first(logarithms_.size() / 2).value;
  }

  /// Safety factor: how much larger than its last steps the error of an extrapolated value may be. It grows
  /// as the factor approaches 1 and as it varies, as for |x - c|^-p log |x - c|.
  double caution() const {
    if (logarithms_.size() < 3) return 1;
    const Slope now = recent();
    const double change = last(logarithms_.size() / 4 + 2).value - now.value;
    const double nearness = now.value < steep ? 1 : -1 / std::expm1(now.value);
    return (1 + 2000 * now.deviation + 200 * std::abs(change / now.value)) * nearness;
  }

  /// Whether the terms grow, or fall no faster than those of |x - c|^-0.9.
  bool is_doubtful() const {
    return logarithms_.size() >= 4 && !is_sure() && recent().value > -0.1 * std::numbers::ln2;
  }

 private:
  static constexpr double least_slope = 1e-4;        // |x - c|^-0.9999
  static constexpr double steep = -0.3;              // |x - c|^-0.57
  static constexpr double largest_deviation = 0.01;  // 1e-15 of |x - c|^p if c is an end, 0.04 at jumps
  static constexpr double largest_noise = 0.1;

  struct Slope {
    double value, deviation;
  };

  Slope recent() const { return last(std::max<std::size_t>(3, logarithms_.size() / 2)); }
  Slope last(std::size_t n) const { return slope(std::span(logarithms_).last(n)); }
  Slope first(std::size_t n) const { return slope(std::span(logarithms_).first(n)); }

  /// By least squares.
  static Slope slope(std::span<const double> y) {
    const auto n = static_cast<double>(y.size());
    double mean = 0, product = 0, squares = 0, rest = 0;
    for (const double value : y) mean += value / n;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double x = static_cast<double>(i) - (n - 1) / 2;
      product += x * y[i];
      squares += x * x;
    }
    const double value = product / squares;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double x = static_cast<double>(i) - (n - 1) / 2;
      rest += (y[i] - mean - value * x) * (y[i] - mean - value * x);
    }
    return {value, std::sqrt(rest / (n - 2) / squares)};
  }

  std::vector<double> logarithms_;  // of the terms
  double last_ = HUGE_VAL, noise_ = 0;
  bool is_over_ = false;  // only rounding is left
};

}  // namespace foldline::quadrature
