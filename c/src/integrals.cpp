// Quadrature.
#include <span>

#include "arguments.hpp"
#include "calls.hpp"
#include "foldline/quadrature.hpp"

using namespace foldline;
using namespace foldline::c;

namespace {

auto integrand(foldline_function f, void* data) {
  if (f == nullptr) throw InvalidArgument("foldline: the function to integrate is null");
  return [f, data](std::span<const double> x, std::span<double> y) {
    f(x.data(), y.data(), static_cast<std::int64_t>(x.size()), data);
  };
}

Rule rule_of(std::int32_t rule, std::int32_t points) {
  switch (rule) {
    case FOLDLINE_MIDPOINT:
      return Rule::midpoint();
    case FOLDLINE_TRAPEZOID:
      return Rule::trapezoid();
    case FOLDLINE_SIMPSON:
      return Rule::simpson();
    case FOLDLINE_GAUSS_LEGENDRE:
      return Rule::gauss_legendre(points);
    default:
      throw InvalidArgument("foldline: " + std::to_string(rule) + " is no rule of quadrature");
  }
}

/// Of samples dx apart, or at x if that is not null.
template <class F>
foldline_status integrate_samples(F rule, const foldline_array* y, const foldline_array* x, double dx,
                                  double* integral, const foldline_context* context) {
  return call([&] {
    const VectorView samples = vector_of(y, "y");
    double& result = required(integral, "the integral's address");
    result = x == nullptr ? rule(samples, dx, context_of(context))
                          : rule(samples, vector_of(x, "x"), context_of(context));
  });
}

}  // namespace

foldline_status foldline_integrate(foldline_function f, void* data, double a, double b, std::int32_t rule,
                                   std::int32_t points, std::int64_t n, double* integral,
                                   const foldline_context* context) {
  return call([&] {
    double& result = required(integral, "the integral's address");
    result = integrate(integrand(f, data), a, b, rule_of(rule, points), n, context_of(context)).value;
  });
}

foldline_status foldline_integrate_to(foldline_function f, void* data, double a, double b, double absolute,
                                      double relative, std::int64_t max_evaluations,
                                      foldline_integral_estimate* estimate) {
  return call([&] {
    foldline_integral_estimate& result = required(estimate, "the estimate's address");
    const IntegralEstimate found = integrate_to(integrand(f, data), a, b, Tolerance(absolute, relative),
                                                {.max_evaluations = max_evaluations});
    result = {found.value,      found.error, found.evaluations,
              found.non_finite, found.where, static_cast<std::int32_t>(found.status)};
  });
}

foldline_status foldline_trapezoid(const foldline_array* y, const foldline_array* x, double dx,
                                   double* integral, const foldline_context* context) {
  return integrate_samples([](const auto&... given) { return trapezoid(given...); }, y, x, dx, integral,
                           context);
}

foldline_status foldline_simpson(const foldline_array* y, const foldline_array* x, double dx,
                                 double* integral, const foldline_context* context) {
  return integrate_samples([](const auto&... given) { return simpson(given...); }, y, x, dx, integral,
                           context);
}
