// The same integrals by QUADPACK, as the GNU Scientific Library has it: how many samples it takes.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gtest/gtest.h>
#include <foldline/quadrature.hpp>

#include <cmath>
#include <memory>

#include "quadrature/battery.hpp"

namespace {

struct Peer {
  int status;
  long evaluations;
  double value;
};

struct Counted {
  const battery::Problem* problem;
  long evaluations;
};

Peer by_quadpack(const battery::Problem& problem, double tolerance) {
  constexpr std::size_t limit = 10'000;
  const std::unique_ptr<gsl_integration_workspace, decltype(&gsl_integration_workspace_free)> workspace(
      gsl_integration_workspace_alloc(limit), gsl_integration_workspace_free);
  Counted counted{&problem, 0};
  gsl_function f{[](double x, void* data) {
                   auto& counting = *static_cast<Counted*>(data);
                   ++counting.evaluations;
                   return counting.problem->f(x);
                 },
                 &counted};
  double value = 0, error = 0;
  int status = 0;
  const auto [a, b] = std::pair(problem.a, problem.b);
  if (std::isinf(a) && std::isinf(b))
    status = gsl_integration_qagi(&f, tolerance, tolerance, limit, workspace.get(), &value, &error);
  else if (std::isinf(b))
    status = gsl_integration_qagiu(&f, a, tolerance, tolerance, limit, workspace.get(), &value, &error);
  else if (std::isinf(a))
    status = gsl_integration_qagil(&f, b, tolerance, tolerance, limit, workspace.get(), &value, &error);
  else
    status = gsl_integration_qags(&f, a, b, tolerance, tolerance, limit, workspace.get(), &value, &error);
  return {status, counted.evaluations, value};
}

TEST(BesideQuadpack, NoIntegralTakesMuchMoreSamples) {
  gsl_set_error_handler_off();
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    long ours = 0, theirs = 0;
    int failures = 0;
    for (const battery::Problem& problem : battery::problems()) {
      const auto found = foldline::integrate_to(problem.f, problem.a, problem.b, tolerance);
      const Peer peer = by_quadpack(problem, tolerance);
      if (peer.status != 0) {
        ++failures;
        continue;
      }
      ours += found.evaluations;
      theirs += peer.evaluations;
      EXPECT_LE(static_cast<double>(found.evaluations), 1.5 * static_cast<double>(peer.evaluations))
          << problem.name;
    }
    std::printf("tolerance %g: %ld samples, QUADPACK %ld, which gave up %d times\n", tolerance, ours, theirs,
                failures);
    EXPECT_LE(failures, 3);
  }
}

}  // namespace
