#include "quadrature/peers.hpp"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/quadrature/sinh_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <foldline/quadrature.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

namespace peers {
namespace {

using battery::Problem;

template <foldline::IntegrationMethod method, std::int64_t limit = 200'000>
Answer by_foldline(const Problem& problem, double tolerance) {
  const auto found = foldline::integrate_to(problem.f, problem.a, problem.b, {0, tolerance}, {method, limit});
  return {found.value, found.evaluations, !found.converged};
}

struct Counted {
  double operator()(double x) const {
    ++*evaluations;
    return (*f)(x);
  }
  const std::function<double(double)>* f;
  std::int64_t* evaluations;
};

Answer by_quadpack(const Problem& problem, double tolerance) {
  gsl_set_error_handler_off();
  constexpr std::size_t limit = 10'000;
  const std::unique_ptr<gsl_integration_workspace, decltype(&gsl_integration_workspace_free)> workspace(
      gsl_integration_workspace_alloc(limit), gsl_integration_workspace_free);
  std::int64_t evaluations = 0;
  Counted counted{&problem.f, &evaluations};
  gsl_function f{[](double x, void* data) { return (*static_cast<Counted*>(data))(x); }, &counted};
  double value = 0, error = 0;
  int status = 0;
  const auto [a, b] = std::pair(problem.a, problem.b);
  if (std::isinf(a) && std::isinf(b))
    status = gsl_integration_qagi(&f, 0, tolerance, limit, workspace.get(), &value, &error);
  else if (std::isinf(b))
    status = gsl_integration_qagiu(&f, a, 0, tolerance, limit, workspace.get(), &value, &error);
  else if (std::isinf(a))
    status = gsl_integration_qagil(&f, b, 0, tolerance, limit, workspace.get(), &value, &error);
  else
    status = gsl_integration_qags(&f, a, b, 0, tolerance, limit, workspace.get(), &value, &error);
  return {value, evaluations, status != 0};
}

/// They throw if a sample is not finite.
template <class Integrate>
Answer by_boost(const Problem& problem, const Integrate& integrate) {
  std::int64_t evaluations = 0;
  const Counted f{&problem.f, &evaluations};
  try {
    const double value = integrate(f);
    return {value, evaluations, !std::isfinite(value)};
  } catch (const std::exception&) {
    return {std::nan(""), evaluations, true};
  }
}

Answer by_boost_gauss_kronrod(const Problem& problem, double tolerance) {
  using Integrator = boost::math::quadrature::gauss_kronrod<double, 21>;  // as many points as we have
  return by_boost(problem, [&](const Counted& f) {
    constexpr unsigned depth = 15;  // its default
    return Integrator::integrate(f, problem.a, problem.b, depth, tolerance);
  });
}

Answer by_boost_double_exponential(const Problem& problem, double tolerance) {
  // They keep their nodes, and cannot be const.
  static boost::math::quadrature::tanh_sinh<double> between_ends;
  static boost::math::quadrature::exp_sinh<double> from_one_end;
  static boost::math::quadrature::sinh_sinh<double> without_ends;
  const double a = problem.a, b = problem.b;
  return by_boost(problem, [&](const Counted& f) {
    if (std::isinf(a) && std::isinf(b)) return without_ends.integrate(f, tolerance);
    if (std::isinf(a) || std::isinf(b)) return from_one_end.integrate(f, a, b, tolerance);
    return between_ends.integrate(f, a, b, tolerance);
  });
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

const std::vector<Contestant>& contestants() {
  using enum foldline::IntegrationMethod;
  static const std::vector<Contestant> all = {{"foldline", by_foldline<gauss_kronrod>},
                                              {"foldline, tanh-sinh", by_foldline<tanh_sinh>},
                                              {"QUADPACK (GSL)", by_quadpack},
                                              {"Boost, Gauss-Kronrod", by_boost_gauss_kronrod},
                                              {"Boost, double exponential", by_boost_double_exponential}};
  return all;
}

const std::vector<Contestant>& judged() {
  using enum foldline::IntegrationMethod;
  static const std::vector<Contestant> all = {{"foldline", by_foldline<gauss_kronrod>},
                                              {"tanh-sinh", by_foldline<tanh_sinh, 10'000>},
                                              {"QUADPACK", by_quadpack}};
  return all;
}

double error_of(const Answer& answer, const Problem& problem) {
  return std::abs(answer.value - problem.value) / std::abs(problem.value);
}

bool is_found(const Answer& answer, const Problem& problem, double tolerance) {
  return !answer.gave_up && error_of(answer, problem) <= tolerance;
}

Score score_of(const Contestant& contestant, double tolerance) {
  Score score;
  std::vector<double> errors, ratios;
  for (const Problem& problem : battery::problems()) {
    const Answer answer = contestant.integrate(problem, tolerance);
    const double error = error_of(answer, problem);
    errors.push_back(std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    if (!is_found(answer, problem, tolerance)) continue;
    ++score.found;
    score.evaluations += answer.evaluations;
    const std::int64_t ours = contestants().front().integrate(problem, tolerance).evaluations;
    score.ours += ours;
    ratios.push_back(static_cast<double>(answer.evaluations) / static_cast<double>(ours));
  }
  score.median_error = median(errors);
  score.median_ratio = median(ratios);
  return score;
}

}  // namespace peers
