// What the command says of an integral that did not converge.
#pragma once

#include <foldline/quadrature.hpp>
#include <string>

namespace foldline::cli {

/// "may-diverge" and so on, as in JSON.
std::string name_of(IntegrationStatus status);

/// What happened, where, what was reached, and what helps, with an integral from a to b.
std::string why_not_converged(const IntegralEstimate& found, double a, double b, double tolerance,
                              IntegrationMethod method);

}  // namespace foldline::cli
