// Each has a singularity of at least the strength of 1/|x - c|, or does not fall fast enough towards
// infinity: the integral of |f| is infinite. Many have a principal value, which is no integral.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "quadrature/battery.hpp"

namespace battery {

namespace {

using std::numbers::pi, std::numbers::sqrt2;
constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double none = std::numeric_limits<double>::quiet_NaN();

}  // namespace

const std::vector<Problem>& divergent() {
  static const std::vector<Problem> all = {
      {"1/x", [](double x) { return 1 / x; }, 0, 1, none},
      {"1/x on (-1, 1)", [](double x) { return 1 / x; }, -1, 1, none},
      {"1/x on (-1, 2)", [](double x) { return 1 / x; }, -1, 2, none},
      {"1/x on (-1, 0)", [](double x) { return 1 / x; }, -1, 0, none},
      {"x^-1.01", [](double x) { return std::pow(x, -1.01); }, 0, 1, none},
      {"x^-1.1", [](double x) { return std::pow(x, -1.1); }, 0, 1, none},
      {"x^-1.5", [](double x) { return std::pow(x, -1.5); }, 0, 1, none},
      {"1/x^2", [](double x) { return 1 / (x * x); }, 0, 1, none},
      {"1/x^3 on (-1, 1)", [](double x) { return 1 / (x * x * x); }, -1, 1, none},
      {"1/x^2 on (-1, 1)", [](double x) { return 1 / (x * x); }, -1, 1, none},
      {"1/x^2 on (-1, 3)", [](double x) { return 1 / (x * x); }, -1, 3, none},
      {"1/x + 1", [](double x) { return 1 / x + 1; }, 0, 1, none},
      {"1/x + 1/sqrt(x)", [](double x) { return 1 / x + 1 / std::sqrt(x); }, 0, 1, none},
      {"cos(x)/x", [](double x) { return std::cos(x) / x; }, 0, 1, none},
      {"exp(x)/x^1.2", [](double x) { return std::exp(x) * std::pow(x, -1.2); }, 0, 2, none},
      {"1/(1 - x)", [](double x) { return 1 / (1 - x); }, 0, 1, none},
      {"1/(1 - x)^2", [](double x) { return 1 / ((1 - x) * (1 - x)); }, 0, 1, none},
      {"(1 - x)^-1.05", [](double x) { return std::pow(1 - x, -1.05); }, 0, 1, none},
      {"1/(1 - x^2)", [](double x) { return 1 / ((1 - x) * (1 + x)); }, -1, 1, none},
      {"x/(1 - x^2)", [](double x) { return x / ((1 - x) * (1 + x)); }, -1, 1, none},
      {"1/(x - 0.3)", [](double x) { return 1 / (x - 0.3); }, 0, 1, none},
      {"1/(x - 0.5)", [](double x) { return 1 / (x - 0.5); }, 0, 1, none},
      {"1/(x - 0.25)", [](double x) { return 1 / (x - 0.25); }, 0, 1, none},
      {"1/(x - 0.7)", [](double x) { return 1 / (x - 0.7); }, 0, 1, none},
      {"1/(x - 1/3)", [](double x) { return 1 / (x - 1.0 / 3); }, 0, 1, none},
      {"1/(x - 0.9)", [](double x) { return 1 / (x - 0.9); }, 0, 1, none},
      {"1/(x - 1/pi)", [](double x) { return 1 / (x - 1 / pi); }, 0, 1, none},
      {"1/(x - 1/sqrt(2))", [](double x) { return 1 / (x - 1 / sqrt2); }, 0, 1, none},
      {"1/(x - 0.3)^2", [](double x) { return std::pow(x - 0.3, -2); }, 0, 1, none},
      {"1/(x - 0.5)^2", [](double x) { return std::pow(x - 0.5, -2); }, 0, 1, none},
      {"1/(x - 1/3)^2", [](double x) { return std::pow(x - 1.0 / 3, -2); }, 0, 1, none},
      {"1/(x - 1/pi)^2", [](double x) { return std::pow(x - 1 / pi, -2); }, 0, 1, none},
      {"|x - 0.3|^-1", [](double x) { return 1 / std::abs(x - 0.3); }, 0, 1, none},
      {"|x - 1/2|^-1", [](double x) { return 1 / std::abs(x - 0.5); }, 0, 1, none},
      {"|x - 1/3|^-1.01", [](double x) { return std::pow(std::abs(x - 1.0 / 3), -1.01); }, 0, 1, none},
      {"sign |x - 1/2|^-1.1",
       [](double x) { return std::copysign(std::pow(std::abs(x - 0.5), -1.1), x - 0.5); }, 0, 1, none},
      {"(x - 0.3)^-3", [](double x) { return std::pow(x - 0.3, -3); }, 0, 1, none},
      {"1 + 0.001/(x - 0.3)", [](double x) { return 1 + 0.001 / (x - 0.3); }, 0, 1, none},
      {"1/(x - 1e-9)", [](double x) { return 1 / (x - 1e-9); }, 0, 1, none},
      {"1/(x - 5) on (0, 10)", [](double x) { return 1 / (x - 5); }, 0, 10, none},
      {"1/(x - 1) on (0, 3)", [](double x) { return 1 / (x - 1); }, 0, 3, none},
      {"1/(x + 2) on (-3, 1)", [](double x) { return 1 / (x + 2); }, -3, 1, none},
      {"1/(x^2 - 2) on (0, 3)", [](double x) { return 1 / (x * x - 2); }, 0, 3, none},
      {"x/(x^2 - 0.09)", [](double x) { return x / (x * x - 0.09); }, -1, 1, none},
      {"x/(x^2 - 1/4)", [](double x) { return x / (x * x - 0.25); }, -1, 1, none},
      {"1/(x^2 - 0.09)", [](double x) { return 1 / (x * x - 0.09); }, -1, 1, none},
      {"x^3/(x^4 - 0.01)", [](double x) { return x * x * x / (x * x * x * x - 0.01); }, -1, 1, none},
      {"1 + 0.001 x/(x^2 - 0.09)", [](double x) { return 1 + 0.001 * x / (x * x - 0.09); }, -1, 1, none},
      {"1/(x - 0.2) - 1/(x - 0.6)", [](double x) { return 1 / (x - 0.2) - 1 / (x - 0.6); }, 0, 1, none},
      {"tan(pi x)", [](double x) { return std::tan(pi * x); }, 0, 1, none},
      {"tan(x) on (0, pi)", [](double x) { return std::tan(x); }, 0, pi, none},
      {"tan(x) to pi/2", [](double x) { return std::tan(x); }, 0, pi / 2, none},
      {"1/sin(x)", [](double x) { return 1 / std::sin(x); }, 0, 1, none},
      {"1/sin(pi x)", [](double x) { return 1 / std::sin(pi * x); }, 0, 1, none},
      {"1/tan(x) on (-1, 1)", [](double x) { return 1 / std::tan(x); }, -1, 1, none},
      {"1/cos(x) on (0, 3)", [](double x) { return 1 / std::cos(x); }, 0, 3, none},
      {"1/sin(x)^2 on (-1, 1)", [](double x) { return std::pow(std::sin(x), -2); }, -1, 1, none},
      {"tan(10 x)", [](double x) { return std::tan(10 * x); }, 0, 1, none},
      {"1/expm1(x)", [](double x) { return 1 / std::expm1(x); }, 0, 1, none},
      {"1/log(x) on (0, 2)", [](double x) { return 1 / std::log(x); }, 0, 2, none},
      {"1/log(x) to 1", [](double x) { return 1 / std::log(x); }, 0, 1, none},
      {"1/(x log x)", [](double x) { return 1 / (x * std::log(x)); }, 0, 0.5, none},
      {"1/(x log x) from 1", [](double x) { return 1 / (x * std::log(x)); }, 1, 2, none},
      {"1/(x sqrt(-log x))", [](double x) { return 1 / (x * std::sqrt(-std::log(x))); }, 0, 0.5, none},
      {"log(x)/x", [](double x) { return std::log(x) / x; }, 0, 1, none},
      {"log(x)^2/x^1.5", [](double x) { return std::log(x) * std::log(x) * std::pow(x, -1.5); }, 0, 1, none},
      {"1/(x log x log(-log x))", [](double x) { return 1 / (x * std::log(x) * std::log(-std::log(x))); }, 0,
       0.1, none},
      {"exp(1/x)", [](double x) { return std::exp(1 / x); }, 0, 1, none},
      {"sin(1/x)/x^2", [](double x) { return std::sin(1 / x) / (x * x); }, 0, 1, none},
      {"gamma(x) on (-1/2, 1)", [](double x) { return std::tgamma(x); }, -0.5, 1, none},
      {"atanh(x)/(1 - x)", [](double x) { return std::atanh(x) / (1 - x); }, 0, 1, none},
      {"1/x from 1", [](double x) { return 1 / x; }, 1, inf, none},
      {"1/sqrt(x) from 1", [](double x) { return 1 / std::sqrt(x); }, 1, inf, none},
      {"x^-0.99 from 1", [](double x) { return std::pow(x, -0.99); }, 1, inf, none},
      {"1/(1 + x)", [](double x) { return 1 / (1 + x); }, 0, inf, none},
      {"1 to infinity", [](double x) { return 1 + 0 * x; }, 0, inf, none},
      {"1 on (-inf, inf)", [](double x) { return 1 + 0 * x; }, -inf, inf, none},
      {"x on (-inf, inf)", [](double x) { return x; }, -inf, inf, none},
      {"x^3 on (-inf, inf)", [](double x) { return x * x * x; }, -inf, inf, none},
      {"x/(1 + x^2)", [](double x) { return x / (1 + x * x); }, -inf, inf, none},
      {"exp(x) to infinity", [](double x) { return std::exp(x); }, 0, inf, none},
      {"exp(x) on (-inf, inf)", [](double x) { return std::exp(x); }, -inf, inf, none},
      {"sinh(x) on (-inf, inf)", [](double x) { return std::sinh(x); }, -inf, inf, none},
      {"atan(x) on (-inf, inf)", [](double x) { return std::atan(x); }, -inf, inf, none},
      {"sin(x) to infinity", [](double x) { return std::sin(x); }, 0, inf, none},
      {"sin(x)^2 to infinity", [](double x) { return std::sin(x) * std::sin(x); }, 0, inf, none},
      {"x sin(x) on (-inf, inf)", [](double x) { return x * std::sin(x); }, -inf, inf, none},
      {"1/(x log x) to infinity", [](double x) { return 1 / (x * std::log(x)); }, 2, inf, none},
      {"log(x)/x to infinity", [](double x) { return std::log(x) / x; }, 1, inf, none},
      {"1/x from -inf to -1", [](double x) { return 1 / x; }, -inf, -1, none},
      {"1/x^2 to infinity", [](double x) { return 1 / (x * x); }, 0, inf, none},
      {"1/x^2 on (-inf, inf)", [](double x) { return 1 / (x * x); }, -inf, inf, none},
      {"1/x on (-inf, inf)", [](double x) { return 1 / x; }, -inf, inf, none},
      {"1/(x^2 - 4) to infinity", [](double x) { return 1 / (x * x - 4); }, 0, inf, none},
      {"1/(x - 1) on (-inf, inf)", [](double x) { return 1 / (x - 1); }, -inf, inf, none},
      {"exp(-x)/x", [](double x) { return std::exp(-x) / x; }, 0, inf, none},
      {"tanh(x) on (-inf, inf)", [](double x) { return std::tanh(x); }, -inf, inf, none},
      {"1/sqrt(1 + x^2)", [](double x) { return 1 / std::sqrt(1 + x * x); }, -inf, inf, none},
      {"exp(-x^2)/x", [](double x) { return std::exp(-x * x) / x; }, -inf, inf, none},
  };
  return all;
}

}  // namespace battery
