// Messages about integrals that did not converge.
#pragma once

#include <foldline/quadrature.hpp>
#include <string>

namespace foldline::cli {

/// The name in JSON, such as "may-diverge".
std::string name_of(IntegrationStatus status);

/// A message for an integral from a to b: what happened, where, which accuracy was reached, and what may
/// help.
std::string why_not_converged(const IntegralEstimate& found, double a, double b, double tolerance,
                              IntegrationMethod method);

}  // namespace foldline::cli
