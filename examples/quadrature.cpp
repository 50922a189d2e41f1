// Integrals: by rules, to a tolerance, of samples.
#include <foldline/foldline.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <vector>

namespace {

int failures = 0;

void check(const char* what, bool holds) {
  std::printf("%-36s %s\n", what, holds ? "as expected" : "WRONG");
  if (!holds) ++failures;
}

void rules() {
  const auto f = [](double x) { return 4 / (1 + x * x); };
  const foldline::Integral simpson = foldline::integrate(f, 0, 1, foldline::Rule::simpson(), 1'000'000);
  const foldline::Integral gauss = foldline::integrate(f, 0, 1, foldline::Rule::gauss_legendre(5), 8);
  check("pi by rules", std::abs(simpson.value - std::numbers::pi) < 5e-16 &&
                           std::abs(gauss.value - std::numbers::pi) < 5e-15 && gauss.evaluations == 40);
}

void drift() {
  const auto f = [](double x) { return 4 / (1 + x * x); };
  const std::int64_t n = 10'000'000;
  const double h = 1.0 / static_cast<double>(n);
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += f((static_cast<double>(i) + 0.5) * h);
  const double loop = sum * h;                                                             // off by 6e-14
  const double exact = foldline::integrate(f, 0, 1, foldline::Rule::midpoint(), n).value;  // off by 1e-15
  check("a loop drifts",
        std::abs(loop - std::numbers::pi) > 1e-14 && std::abs(exact - std::numbers::pi) < 3e-15);
}

void tolerances() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto wave = [](double x) { return std::exp(-x * x) * std::cos(3 * x); };
  const foldline::IntegralEstimate found = foldline::integrate_to(wave, 0, infinity, 1e-12);
  check("an infinite range", found.converged && std::abs(found.value - 0.093407630728565848) < 1e-12);

  const auto singular = [](double x) { return std::log(x) / std::sqrt(x); };
  const foldline::IntegrationOptions options = {.method = foldline::IntegrationMethod::tanh_sinh};
  const double value = foldline::integrate_to(singular, 0, 1, 1e-12, options).value;  // -4, of 67 samples
  check("a singular end", std::abs(value + 4) < 1e-12);
}

void samples() {
  const std::vector<double> y = {0, 1, 4, 9, 16};
  const std::vector<double> x = {0, 1, 2, 3, 4};
  const double trapezoids = foldline::trapezoid(y, 1.0);  // 22
  const double parabolas = foldline::simpson(y, x);       // 21.333333333333332
  std::vector<double> running(y.size());
  foldline::cumulative_trapezoid(y, 1.0, running);  // {0, 0.5, 3, 9.5, 22}
  check("samples", trapezoids == 22 && std::abs(parabolas - 64.0 / 3) < 1e-14 &&
                       running == std::vector<double>{0, 0.5, 3, 9.5, 22});
}

}  // namespace

int main() {
  rules();
  drift();
  tolerances();
  samples();
  return failures == 0 ? 0 : 1;
}
