#include "convergence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace foldline::cli {
namespace {

/// "near x = 0.3", "towards x = inf".
std::string place(double x) { return fmt::format("{} x = {:.6g}", std::isinf(x) ? "towards" : "near", x); }

std::string best(const IntegralEstimate& found) {
  return fmt::format("the best value of {} samples is {}, with an error of {:.1e}", found.evaluations,
                     found.value, found.error);
}

/// What helps with a singularity at x in an integral from a to b, if anything does.
std::string split(double x, double a, double b) {
  if (std::isinf(x)) return "end the range at a finite number, ";
  return std::min(a, b) < x && x < std::max(a, b) ? "split the range there, " : "";
}

}  // namespace

std::string name_of(IntegrationStatus status) {
  constexpr std::array names = {"converged", "max-evaluations", "round-off", "may-diverge", "not-finite"};
  return names[static_cast<std::size_t>(status)];
}

std::string why_not_converged(const IntegralEstimate& found, double a, double b, double tolerance,
                              IntegrationMethod method) {
  const char* other = method == IntegrationMethod::tanh_sinh ? "gauss-kronrod" : "tanh-sinh";
  const std::string where = place(found.where), parts = split(found.where, a, b);
  switch (found.status) {
    case IntegrationStatus::may_diverge:
      return fmt::format(
          "did not converge: the integral may diverge {}, where that of |f| still grows after {} samples; if "
          "it has a "
          "value, {}try --method {} or a larger --tolerance",
          where, found.evaluations, parts, other);
    case IntegrationStatus::not_finite:
      return fmt::format(
          "did not converge: {} of {} samples are infinite or not a number, {}, and the integral may "
          "diverge; leave "
          "that part out, {}or try --method {}",
          found.non_finite, found.evaluations, where, parts, other);
    case IntegrationStatus::round_off:
      return fmt::format(
          "tolerance {} was not reached: {}, which is that of rounding, {}; try a larger --tolerance, "
          "--method {}, or "
          "a formula that is moved so that this point is at 0",
          tolerance, best(found), where, other);
    default:
      return fmt::format(
          "tolerance {} was not reached: {}, most of it {}; {}try more --max-evaluations, --method {} "
          "or a larger --tolerance",
          tolerance, best(found), where, parts, other);
  }
}

}  // namespace foldline::cli
