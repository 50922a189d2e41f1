// Shared by the methods of integrate_to.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "foldline/quadrature.hpp"

namespace foldline::quadrature {

/// An integrand that counts its evaluations, and marks values that are not finite.
class CountingIntegrand {
 public:
  explicit CountingIntegrand(const foldline::detail::Integrand& f) : f_(f) {}

  /// y[i] = f(x[i]), or 0 and is_bad[i] if that is not finite.
  void operator()(std::span<const double> x, double* y, bool* is_bad) {
    const auto n = static_cast<std::int64_t>(x.size());
    f_(x.data(), y, n);
    for (std::size_t i = 0; i < x.size(); ++i) {
      is_bad[i] = !std::isfinite(y[i]);
      if (!is_bad[i]) continue;
      y[i] = 0;
      ++non_finite_;
    }
    evaluations_ += n;
  }
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t non_finite() const { return non_finite_; }

 private:
  foldline::detail::Integrand f_;
  std::int64_t evaluations_ = 0, non_finite_ = 0;
};

/// Relative error floor for rounding in nodes, weights and f, in terms of the sum of |w f|.
inline constexpr double rounding_floor = 4 * 0x1p-52;

inline double allowed_error(const Tolerance& tolerance, double value) {
  return std::max(tolerance.absolute, tolerance.relative * std::abs(value));
}

/// A value and an estimate of its error.
struct Estimate {
  double value, error;
  IntegrationStatus status = IntegrationStatus::converged;
  double where = std::numeric_limits<double>::quiet_NaN();  // see IntegralEstimate
};

/// From a to b, a < b; either may be infinite.
Estimate bisect(CountingIntegrand& f, double a, double b, const Tolerance& tolerance,
                std::int64_t max_evaluations);
Estimate tanh_sinh(CountingIntegrand& f, double a, double b, const Tolerance& tolerance,
                   std::int64_t max_evaluations);

}  // namespace foldline::quadrature
