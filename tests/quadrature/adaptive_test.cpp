// integrate_to: integrals of known value, and what has none.
#include <gtest/gtest.h>
#include <foldline/quadrature.hpp>

#include <cmath>
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

TEST(Adaptive, AnErrorThatIsReportedIsNotTooSmall) {
  for (const auto method : {IntegrationMethod::gauss_kronrod, IntegrationMethod::tanh_sinh})
    for (const battery::Problem& problem : battery::problems()) {
      const auto found = integrate_to(problem.f, problem.a, problem.b, 1e-9, {method, 50'000});
      // Rounding in the nodes moves the narrowest peak by a part of its width.
      const double rounding = 1e-11 * std::max(1.0, std::abs(problem.value));
      if (found.converged) {
        EXPECT_LE(std::abs(found.value - problem.value), 4 * found.error + rounding) << problem.name;
      }
    }
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

TEST(Adaptive, ABadSampleIsBisectedAwayAndCounted) {
  const auto found = integrate_to([](double x) { return std::log(std::abs(x)); }, -1, 1, 1e-12);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.non_finite, 1);
  EXPECT_NEAR(found.value, -2, 1e-12);
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
