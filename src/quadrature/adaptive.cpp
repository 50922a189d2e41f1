// integrate_to: checks, and the choice of the method.
#include "quadrature/adaptive.hpp"

#include <cmath>
#include <string>

namespace foldline::detail {

namespace {

[[noreturn]] void refuse_task(const std::string& problem) {
  throw InvalidArgument("integrate_to: " + problem);
}

void validate_task(double a, double b, const Tolerance& tolerance, const IntegrationOptions& options) {
  if (std::isnan(a) || std::isnan(b)) refuse_task("an end is NaN");
  if (a == b && std::isinf(a)) refuse_task("both ends are the same infinity");
  if (std::isfinite(a) && std::isfinite(b) && !std::isfinite(b - a))
    refuse_task("b - a is more than a double holds; use infinite ends, or scale x");
  if (!(tolerance.absolute >= 0) || !(tolerance.relative >= 0) || !std::isfinite(tolerance.absolute) ||
      !std::isfinite(tolerance.relative))
    refuse_task("a tolerance is negative or not finite");
  if (tolerance.absolute == 0 && tolerance.relative == 0)
    refuse_task("both tolerances are 0; use 1e-12, say");
  if (options.max_evaluations < 1)
    refuse_task(std::to_string(options.max_evaluations) + " evaluations at most; use 1 or more");
}

}  // namespace

IntegralEstimate integrate_adaptively(const Integrand& f, double a, double b, Tolerance tolerance,
                                      const IntegrationOptions& options) {
  validate_task(a, b, tolerance, options);
  if (a == b) return {0, 0, 0, 0, true, IntegrationStatus::converged, std::nan("")};
  const double low = std::min(a, b), high = std::max(a, b);
  quadrature::CountingIntegrand counting(f);
  const auto method =
      options.method == IntegrationMethod::tanh_sinh ? quadrature::tanh_sinh : quadrature::bisect;
  const quadrature::Estimate found = method(counting, low, high, tolerance, options.max_evaluations);
  const bool converged = found.status == IntegrationStatus::converged;
  return {a < b ? found.value : -found.value,
          found.error,
          counting.evaluations(),
          counting.non_finite(),
          converged,
          found.status,
          found.where};
}

}  // namespace foldline::detail
