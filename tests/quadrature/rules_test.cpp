// Composite rules: the sum that defines each of them in rational numbers, slopes, the floor of rounding,
// threads.
#include <gmpxx.h>
#include <gtest/gtest.h>
#include <foldline/quadrature.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using foldline::integrate;
using foldline::Rule;

constexpr double inf = std::numeric_limits<double>::infinity();

double quarter_circle(double x) { return 4 / (1 + x * x); }

/// The double next to q, by comparison with its neighbours.
double nearest(const mpq_class& q) {
  double best = q.get_d();  // rounded towards zero
  for (const double other : {std::nextafter(best, -inf), std::nextafter(best, inf)})
    if (abs(mpq_class(other) - q) < abs(mpq_class(best) - q)) best = other;
  return best;
}

/// (b - a) times the weighted mean of f at the nodes fma(i + offset, h, a), in rational numbers.
template <class F, class Weight>
double by_definition(F f, double a, double b, std::int64_t n, std::int64_t samples, double offset,
                     const Weight& weight, long divisor) {
  const double h = (b - a) / static_cast<double>(n);
  mpq_class sum = 0;
  for (std::int64_t i = 0; i < samples; ++i) {
    const bool is_last = samples == n + 1 && i == n;
    const double x = is_last ? b : std::fma(static_cast<double>(i) + offset, h, a);
    sum += mpq_class(f(x)) * weight(i);
  }
  return nearest(sum * (mpq_class(b) - mpq_class(a)) / (mpq_class(divisor) * mpq_class(n)));
}

TEST(Rules, AreRoundedOnce) {
  const auto wild = [](double x) { return std::sin(100 * x) * std::exp(30 * x); };
  for (const auto& [a, b] :
       {std::pair(0.0, 1.0), std::pair(-0.1, 1.7), std::pair(2.0, -1.0), std::pair(1e-300, 3e9)})
    for (const std::int64_t n : {2, 6, 100, 5000}) {
      const auto f = [&](double x) { return wild(x / std::max(std::abs(a), std::abs(b))); };
      const auto one = [](std::int64_t) { return 1L; };
      const auto ends = [n](std::int64_t i) { return i == 0 || i == n ? 1L : 2L; };
      const auto simpson = [n](std::int64_t i) { return i == 0 || i == n ? 1L : i % 2 == 0 ? 2L : 4L; };
      EXPECT_EQ(integrate(f, a, b, Rule::midpoint(), n).value, by_definition(f, a, b, n, n, 0.5, one, 1));
      EXPECT_EQ(integrate(f, a, b, Rule::trapezoid(), n).value, by_definition(f, a, b, n, n + 1, 0, ends, 2));
      EXPECT_EQ(integrate(f, a, b, Rule::simpson(), n).value,
                by_definition(f, a, b, n, n + 1, 0, simpson, 3));
    }
}

TEST(Rules, GaussLegendreIsRoundedOnce) {
  const auto f = [](double x) { return std::exp(x) * std::cos(20 * x); };
  for (const int points : {1, 2, 5, 20, 1500})
    for (const std::int64_t n : {1, 3, 40}) {
      const double a = 0.25, b = 2, h = (b - a) / static_cast<double>(n);
      const foldline::QuadratureNodes rule = foldline::gauss_legendre_nodes(points);
      mpq_class sum = 0;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
          const double left = std::fma(static_cast<double>(i), h, a);
          sum += mpq_class(rule.weights[k]) * mpq_class(f(std::fma((1 + rule.nodes[k]) / 2, h, left)));
        }
      const foldline::Integral integral = integrate(f, a, b, Rule::gauss_legendre(points), n);
      EXPECT_EQ(integral.value, nearest(sum * (mpq_class(b) - mpq_class(a)) / mpq_class(2 * n)));
      EXPECT_EQ(integral.evaluations, n * points);
    }
}

TEST(Rules, CountEvaluations) {
  EXPECT_EQ(integrate(quarter_circle, 0, 1, Rule::midpoint(), 10).evaluations, 10);
  EXPECT_EQ(integrate(quarter_circle, 0, 1, Rule::trapezoid(), 10).evaluations, 11);
  EXPECT_EQ(integrate(quarter_circle, 0, 1, Rule::simpson(), 10).evaluations, 11);
}

// exp: its derivatives vanish nowhere, so that the slope is the rule's.
TEST(Rules, ErrorsFallAsTheyShould) {
  const auto error = [](Rule rule, std::int64_t n) {
    const auto f = [](double x) { return std::exp(x); };
    return std::abs(integrate(f, 0, 1, rule, n).value - std::expm1(1.0));
  };
  const auto slope = [&](Rule rule, std::int64_t n) {
    return std::log2(error(rule, n) / error(rule, 2 * n));
  };
  for (const std::int64_t n : {64, 512, 4096}) {
    EXPECT_NEAR(slope(Rule::midpoint(), n), 2, 0.01);
    EXPECT_NEAR(slope(Rule::trapezoid(), n), 2, 0.01);
  }
  for (const std::int64_t n : {16, 64, 256}) EXPECT_NEAR(slope(Rule::simpson(), n), 4, 0.02);
  EXPECT_NEAR(slope(Rule::gauss_legendre(1), 64), 2, 0.01);
  EXPECT_NEAR(slope(Rule::gauss_legendre(2), 16), 4, 0.02);
  EXPECT_NEAR(slope(Rule::gauss_legendre(3), 8), 6, 0.1);
}

TEST(Rules, TheFloorOfRoundingDoesNotRiseAndThatOfALoopDoes) {
  double worst = 0, worst_of_loop = 0;
  for (const std::int64_t n : {1'000'000, 3'000'000, 10'000'000}) {
    worst = std::max(worst,
                     std::abs(integrate(quarter_circle, 0, 1, Rule::simpson(), n).value - std::numbers::pi));
    double sum = 0;
    const double h = 1.0 / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) sum += quarter_circle((static_cast<double>(i) + 0.5) * h);
    worst_of_loop = std::max(worst_of_loop, std::abs(sum * h - std::numbers::pi));
  }
  EXPECT_LE(worst, 4.5e-16);        // an ulp of pi
  EXPECT_GE(worst_of_loop, 1e-14);  // 30 times that: rounding of the sum, not the rule
}

TEST(Rules, SameBitsForAnyNumberOfThreads) {
  const auto f = [](double x) { return std::exp(-x) / std::sqrt(x + 0.125); };
  for (const Rule rule : {Rule::midpoint(), Rule::trapezoid(), Rule::simpson(), Rule::gauss_legendre(7)}) {
    const double one = integrate(f, 0, 10, rule, 123'456, {.execution = {.threads = 1}}).value;
    for (const int threads : {0, 2, 3, 8})
      EXPECT_EQ(integrate(f, 0, 10, rule, 123'456, {.execution = {.threads = threads}}).value, one);
  }
}

TEST(Rules, SamplesThatAreNotFiniteAreCounted) {
  const foldline::Integral pole =
      integrate([](double x) { return 1 / x; }, -1, 1, Rule::trapezoid(), 1 << 17);
  EXPECT_EQ(pole.non_finite, 1);
  EXPECT_TRUE(std::isinf(pole.value));
  const foldline::Integral root =
      integrate([](double x) { return std::sqrt(x); }, -1, 1, Rule::midpoint(), 100'000);
  EXPECT_EQ(root.non_finite, 50'000);
  EXPECT_TRUE(std::isnan(root.value));
}

TEST(Rules, BlocksOfNodesAreTheSame) {
  const auto one = [](double x) { return std::sqrt(x); };
  const auto many = [&](std::span<const double> x, std::span<double> y) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = one(x[i]);
  };
  EXPECT_EQ(integrate(many, 0, 1, Rule::simpson(), 10'000).value,
            integrate(one, 0, 1, Rule::simpson(), 10'000).value);
  EXPECT_EQ(foldline::integrate_to(many, 0, 1, 1e-10).value, foldline::integrate_to(one, 0, 1, 1e-10).value);
}

TEST(Rules, ExceptionsReachTheCaller) {
  const auto f = [](double x) { return x < 0.75 ? x : throw std::domain_error("too far"); };
  for (const int threads : {1, 3})
    EXPECT_THROW(integrate(f, 0, 1, Rule::midpoint(), 100'000, {.execution = {.threads = threads}}),
                 std::domain_error);
}

TEST(Rules, ArgumentsAreChecked) {
  const auto throws = [](double a, double b, Rule rule, std::int64_t n) {
    EXPECT_THROW(integrate(quarter_circle, a, b, rule, n), foldline::InvalidArgument)
        << a << " " << b << " " << n;
  };
  throws(0, inf, Rule::midpoint(), 10);
  throws(std::nan(""), 1, Rule::midpoint(), 10);
  throws(-1e308, 1e308, Rule::midpoint(), 10);
  throws(0, 1, Rule::midpoint(), 0);
  throws(0, 1, Rule::midpoint(), -5);
  throws(0, 1, Rule::simpson(), 7);
  throws(0, 1, Rule::gauss_legendre(0), 7);
  throws(0, 1, Rule::gauss_legendre(10'001), 7);
  throws(0, 1, Rule::midpoint(), std::numeric_limits<std::int64_t>::max());
  throws(0, 1, Rule::gauss_legendre(10'000), std::int64_t{1} << 60);
}

TEST(Rules, AFunctionOfTheHostDoesNotRunOnAGpu) {
  std::string message;
  try {
    integrate(quarter_circle, 0, 1, Rule::midpoint(), 10,
              {.execution = {.device = foldline::Device::cuda()}});
  } catch (const foldline::InvalidArgument& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("foldline/cuda/quadrature.cuh"), std::string::npos) << message;
}

}  // namespace
