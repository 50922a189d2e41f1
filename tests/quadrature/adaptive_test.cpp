// integrate_to: integrals of known value, and what has none.
#include <gtest/gtest.h>
#include <foldline/quadrature.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "quadrature/battery.hpp"

namespace {

using foldline::integrate_to;
using foldline::IntegrationMethod;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr foldline::IntegrationOptions tanh_sinh = {.method = IntegrationMethod::tanh_sinh};

class Battery : public testing::TestWithParam<double> {};

TEST_P(Battery, ValuesAreWithinTheTolerance) {
  const double tolerance = GetParam();
  for (const battery::Problem& problem : battery::problems()) {
    const auto found = integrate_to(problem.f, problem.a, problem.b, tolerance);
    const double error = std::abs(found.value - problem.value);
    EXPECT_TRUE(found.converged) << problem.name;
    EXPECT_LE(error, tolerance * std::max(1.0, std::abs(problem.value))) << problem.name;
  }
}
INSTANTIATE_TEST_SUITE_P(Tolerances, Battery, testing::Values(1e-4, 1e-6, 1e-8, 1e-10));

/// Both methods; the limit keeps tanh-sinh from going on for long where it cannot come to an end.
constexpr foldline::IntegrationOptions methods[] = {{IntegrationMethod::gauss_kronrod},
                                                    {IntegrationMethod::tanh_sinh, 10'000}};

constexpr double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};

TEST(Adaptive, AnErrorThatIsReportedCoversTheRealOne) {
  for (const auto* problems : {&battery::problems(), &battery::peaks_and_steps()})
    for (const battery::Problem& problem : *problems)
      for (const foldline::IntegrationOptions& options : methods)
        for (const double tolerance : tolerances)
          for (const double absolute : {0.0, tolerance}) {
            const auto found = integrate_to(problem.f, problem.a, problem.b, {absolute, tolerance}, options);
            const double error = std::abs(found.value - problem.value);
            EXPECT_FALSE(found.converged && !(error <= found.error))
                << problem.name << " to " << tolerance << ": " << error << " is more than " << found.error;
          }
}

TEST(Adaptive, NothingThatDivergesConverges) {
  EXPECT_GE(battery::divergent().size(), 60);
  for (const battery::Problem& problem : battery::divergent())
    for (foldline::IntegrationOptions options : methods)
      for (const double tolerance : tolerances) {
        options.max_evaluations = std::min(options.max_evaluations, std::int64_t{50'000});
        const auto found = integrate_to(problem.f, problem.a, problem.b, tolerance, options);
        EXPECT_FALSE(found.converged) << problem.name << " to " << tolerance << ": " << found.value;
        EXPECT_NE(found.status, foldline::IntegrationStatus::converged) << problem.name;
        EXPECT_FALSE(std::isnan(found.where)) << problem.name;
        EXPECT_FALSE(std::isnan(found.error)) << problem.name;
      }
}

// Bisection knows most of them for what they are.
TEST(Adaptive, WhatDivergesIsSaidToMostly) {
  std::size_t may_diverge = 0;
  for (const battery::Problem& problem : battery::divergent())
    if (integrate_to(problem.f, problem.a, problem.b, 1e-10, {.max_evaluations = 50'000}).status ==
        foldline::IntegrationStatus::may_diverge)
      ++may_diverge;
  EXPECT_GE(may_diverge, battery::divergent().size() * 4 / 5);
}

TEST(Adaptive, TanhSinhTakesSingularEndsAtZeroInItsStride) {
  const auto found =
      integrate_to([](double x) { return std::log(x) / std::sqrt(x); }, 0, 1, 1e-14, tanh_sinh);
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value, -4, 2e-15);
  EXPECT_LE(found.evaluations, 150);
}

TEST(Adaptive, TanhSinhKnowsWhatItCannotSee) {
  const auto f = [](double x) {
    return 1 / std::sqrt(1 - x);
  };  // the last ulp before 1 holds 2e-8 of the integral
  const auto found = integrate_to(f, 0, 1, 1e-12, tanh_sinh);
  EXPECT_FALSE(found.converged);
  EXPECT_LE(std::abs(found.value - 2), found.error);
  EXPECT_LE(found.error, 1e-5);
}

TEST(Adaptive, ReversedEndsChangeTheSign) {
  const auto f = [](double x) { return std::exp(-x); };
  for (const foldline::IntegrationOptions& options : {foldline::IntegrationOptions{}, tanh_sinh}) {
    EXPECT_EQ(integrate_to(f, 2, 1, 1e-12, options).value, -integrate_to(f, 1, 2, 1e-12, options).value);
    EXPECT_NEAR(integrate_to(f, inf, 0, 1e-12, options).value, -1, 1e-12);
    EXPECT_EQ(integrate_to(f, 3, 3, 1e-12, options).evaluations, 0);
  }
}

TEST(Adaptive, WhatDoesNotConvergeSaysSo) {
  const auto expect_failure = [](auto f, double a, double b) {
    for (const foldline::IntegrationOptions& options : {foldline::IntegrationOptions{}, tanh_sinh}) {
      const auto found = integrate_to(f, a, b, 1e-10, options);
      EXPECT_FALSE(found.converged) << found.value;
      EXPECT_FALSE(found.error <= 1e-6) << found.error;
    }
  };
  expect_failure([](double x) { return 1 / x; }, 0, 1);
  expect_failure([](double x) { return 1 / x; }, 1, inf);
  expect_failure([](double x) { return 1 / (x * x); }, 0, 1);
  expect_failure([](double x) { return 1 / x; }, -1, 1);
  expect_failure([](double) { return 1.0; }, 0, inf);
  expect_failure([](double x) { return std::sin(x); }, 0, inf);
  expect_failure([](double x) { return std::sqrt(x); }, -1, 1);
  expect_failure([](double) { return std::nan(""); }, 0, 1);
}

TEST(Adaptive, TheReasonIsGivenAndThePlace) {
  using enum foldline::IntegrationStatus;
  const auto expect = [](auto f, double a, double b, foldline::IntegrationStatus status, double where,
                         double tolerance = 1e-10) {
    const auto found = integrate_to(f, a, b, tolerance, {.max_evaluations = 5000});
    EXPECT_EQ(found.status, status);
    EXPECT_EQ(found.where, where);
  };
  expect([](double x) { return 1 / (x - 0.3); }, 0, 1, may_diverge, 0.3);
  expect([](double x) { return 1 / (x - 0.3); }, 1, 0, may_diverge, 0.3);
  expect([](double x) { return 1 / (1 - x); }, 0, 1, may_diverge, 1);
  expect([](double x) { return 1 / x; }, 1, inf, may_diverge, inf);
  expect([](double x) { return 1 / x; }, -inf, -1, may_diverge, -inf);
  expect([](double x) { return std::pow(1 - x, -0.5); }, 0, 1, round_off, 1, 1e-14);
  const auto wave =
      integrate_to([](double x) { return std::sin(1000 * x); }, 0, 9, 1e-10, {.max_evaluations = 100});
  EXPECT_EQ(wave.status, max_evaluations);
  EXPECT_EQ(integrate_to([](double x) { return std::sqrt(x); }, -1, 1, 1e-10).status, not_finite);
  const auto found = integrate_to([](double x) { return x; }, 0, 1, 1e-10);
  EXPECT_EQ(found.status, converged);
  EXPECT_TRUE(std::isnan(found.where));
}

TEST(Adaptive, ABadSampleIsBisectedAwayAndCounted) {
  const auto found = integrate_to([](double x) { return std::log(std::abs(x)); }, -1, 1, 1e-12);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.non_finite, 1);
  EXPECT_NEAR(found.value, -2, 1e-12);
}

// No sample of the first interval but one is of a size to speak of; none of its parts' is.
TEST(Adaptive, WhatWasSeenIsNotForgotten) {
  const auto bell = [](double x) { return std::exp(-x * x); };
  const double root = 1.7724538509055160;
  for (const double width : {1e2, 1e4, 1e6, 1e8, 1e12}) {
    EXPECT_NEAR(integrate_to(bell, -width, width, 1e-10).value, root, 1e-10) << width;
    EXPECT_NEAR(integrate_to(bell, 0, width, 1e-10).value, root / 2, 1e-10) << width;
    EXPECT_NEAR(integrate_to(bell, -width, width / 3, 1e-10).value, root, 1e-10) << width;
  }
  // A sample that stands alone is a peak that may be as wide as the gaps beside it.
  const auto spike = [](double x) { return x == 0.5 ? 1.0 : 0.0; };
  const auto found = integrate_to(spike, 0, 1, 1e-10);
  EXPECT_LE(found.value, found.error);
  EXPECT_GE(found.evaluations, 500);
}

TEST(Adaptive, HugeAndTinyValues) {
  EXPECT_NEAR(integrate_to([](double x) { return std::exp(x); }, 0, 709, {0, 1e-12}).value / std::exp(709.0),
              1, 1e-12);
  EXPECT_NEAR(integrate_to([](double x) { return 1e-300 * x; }, 0, 1, {0, 1e-12}).value / 5e-301, 1, 1e-12);
  EXPECT_EQ(integrate_to([](double) { return 0.0; }, 0, 1, 1e-12).value, 0);
}

TEST(Adaptive, LimitsAreKept) {
  const auto f = [](double x) { return std::sin(1e6 * x * x); };
  const auto found = integrate_to(f, 0, 10, 1e-12, {.max_evaluations = 1000});
  EXPECT_FALSE(found.converged);
  EXPECT_LE(found.evaluations, 1042);
}

TEST(Adaptive, ExceptionsReachTheCaller) {
  const auto f = [](double) -> double { throw std::domain_error("no"); };
  EXPECT_THROW(integrate_to(f, 0, 1, 1e-6), std::domain_error);
}

TEST(Adaptive, ArgumentsAreChecked) {
  const auto f = [](double x) { return x; };
  EXPECT_THROW(integrate_to(f, std::nan(""), 1, 1e-6), foldline::InvalidArgument);
  EXPECT_THROW(integrate_to(f, inf, inf, 1e-6), foldline::InvalidArgument);
  EXPECT_THROW(integrate_to(f, -1e308, 1e308, 1e-6), foldline::InvalidArgument);
  EXPECT_THROW(integrate_to(f, 0, 1, 0), foldline::InvalidArgument);
  EXPECT_THROW(integrate_to(f, 0, 1, -1), foldline::InvalidArgument);
  EXPECT_THROW(integrate_to(f, 0, 1, std::nan("")), foldline::InvalidArgument);
  EXPECT_THROW(integrate_to(f, 0, 1, 1e-6, {.max_evaluations = 0}), foldline::InvalidArgument);
}

}  // namespace
