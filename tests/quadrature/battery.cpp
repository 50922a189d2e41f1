// Values: closed forms where the books give them, otherwise quadrature in 40 digits by mpmath.
#include "quadrature/battery.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace battery {

namespace {

using std::numbers::pi;
constexpr double inf = std::numeric_limits<double>::infinity();

/// Of height 1 / width at `centre`.
double peak(double x, double centre, double width) {
  return width / ((x - centre) * (x - centre) + width * width);
}

}  // namespace

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = {
      {"x^-0.9 log(1/x)", [](double x) { return std::pow(x, -0.9) * std::log(1 / x); }, 0, 1,
       100.0000000000000444},
      {"x^-0.5 log(1/x)", [](double x) { return std::pow(x, -0.5) * std::log(1 / x); }, 0, 1, 4.0},
      {"x^0 log(1/x)", [](double x) { return std::log(1 / x); }, 0, 1, 1.0},
      {"x^1.1 log(1/x)", [](double x) { return std::pow(x, 1.1) * std::log(1 / x); }, 0, 1,
       0.2267573696145124525},
      {"peak of width 4^-0", [](double x) { return peak(x, pi / 4, std::exp2(-0)); }, 0, 1,
       0.877169307443986075},
      {"peak of width 4^-5", [](double x) { return peak(x, pi / 4, std::exp2(-10)); }, 0, 1,
       3.135798709165306861},
      {"peak of width 4^-10", [](double x) { return peak(x, pi / 4, std::exp2(-20)); }, 0, 1,
       3.141586995409641271},
      {"cos(2^0 sin x)", [](double x) { return std::cos(1 * std::sin(x)); }, 0, pi, 2.403939430634412998},
      {"cos(2^5 sin x)", [](double x) { return std::cos(32 * std::sin(x)); }, 0, pi, 0.4337880026347335485},
      {"cos(2^8 sin x)", [](double x) { return std::cos(256 * std::sin(x)); }, 0, pi, -0.1151503602390470449},
      {"|x - 1/3|^-0.5", [](double x) { return std::pow(std::abs(x - 1.0 / 3), -0.5); }, 0, 1,
       2.787693700234703594},
      {"|x - 1/3|^-0.2", [](double x) { return std::pow(std::abs(x - 1.0 / 3), -0.2); }, 0, 1,
       1.422781034171214427},
      {"|x - pi/4|^-0.2", [](double x) { return std::pow(std::abs(x - pi / 4), -0.2); }, 0, 1,
       1.395279265654224992},
      {"|x - 1/3|^0.5", [](double x) { return std::pow(std::abs(x - 1.0 / 3), 0.5); }, 0, 1,
       0.4911874291211284067},
      {"|x - pi/4|^0.5", [](double x) { return std::pow(std::abs(x - pi / 4), 0.5); }, 0, 1,
       0.5303037303502754491},
      {"|x - 1/3|^1.1", [](double x) { return std::pow(std::abs(x - 1.0 / 3), 1.1); }, 0, 1,
       0.2506357916936314297},
      {"|x - pi/4|^1.1", [](double x) { return std::pow(std::abs(x - pi / 4), 1.1); }, 0, 1,
       0.3055298687344429206},
      {"(1-x^2)^-1/2 / (x+1+2^-1)",
       [](double x) { return 1 / (std::sqrt((1 - x) * (1 + x)) * (x + 1 + 0.5)); }, -1, 1,
       2.809925892416290557},
      {"(1-x^2)^-1/2 / (x+1+2^-5)",
       [](double x) { return 1 / (std::sqrt((1 - x) * (1 + x)) * (x + 1 + 0.03125)); }, -1, 1,
       12.46933155121334742},
      {"(1-x^2)^-1/2 / (x+1+2^-10)",
       [](double x) { return 1 / (std::sqrt((1 - x) * (1 + x)) * (x + 1 + 0.0009765625)); }, -1, 1,
       71.0687783520667084},
      {"sin(x)^-0.5", [](double x) { return std::pow(std::sin(x), -0.5); }, 0, pi / 2, 2.62205755429211981},
      {"sin(x)^0.5", [](double x) { return std::pow(std::sin(x), 0.5); }, 0, pi / 2, 1.198140234735592207},
      {"log(1/x)^-0.5", [](double x) { return std::pow(std::log(1 / x), -0.5); }, 0, 1, 1.772453850905516027},
      {"log(1/x)^0.5", [](double x) { return std::pow(std::log(1 / x), 0.5); }, 0, 1, 0.8862269254527580136},
      {"log(1/x)^1", [](double x) { return std::pow(std::log(1 / x), 1); }, 0, 1, 1.0},
      {"exp(20(x-1)) sin(2^0 x)", [](double x) { return std::exp(20 * (x - 1)) * std::sin(1 * x); }, 0, 1,
       0.04062124037992754124},
      {"exp(20(x-1)) sin(2^4 x)", [](double x) { return std::exp(20 * (x - 1)) * std::sin(16 * x); }, 0, 1,
       0.01458000820861479624},
      {"exp(20(x-1)) sin(2^8 x)", [](double x) { return std::exp(20 * (x - 1)) * std::sin(256 * x); }, 0, 1,
       -0.0001485944796789243054},
      {"(x(1-x))^-1/2 cos(2^0 x)", [](double x) { return std::cos(1 * x) / std::sqrt(x * (1 - x)); }, 0, 1,
       2.587367761551781603},
      {"(x(1-x))^-1/2 cos(2^4 x)", [](double x) { return std::cos(16 * x) / std::sqrt(x * (1 - x)); }, 0, 1,
       -0.07846189931835584927},
      {"(x(1-x))^-1/2 cos(2^6 x)", [](double x) { return std::cos(64 * x) / std::sqrt(x * (1 - x)); }, 0, 1,
       0.3618760853053543528},
      {"x^2 exp(-x/2^0)", [](double x) { return x * x * std::exp(-1.0 * x); }, 0, inf, 2.0},
      {"x^2 exp(-x/2^2)", [](double x) { return x * x * std::exp(-0.25 * x); }, 0, inf, 128.0},
      {"x^2 exp(-x/2^4)", [](double x) { return x * x * std::exp(-0.0625 * x); }, 0, inf, 8192.0},
      {"x^-0.5 (1+10x)^-2", [](double x) { return std::pow(x, -0.5) / ((1 + 10 * x) * (1 + 10 * x)); }, 0,
       inf, 0.4967294132898050617},
      {"x^0.5 (1+10x)^-2", [](double x) { return std::pow(x, 0.5) / ((1 + 10 * x) * (1 + 10 * x)); }, 0, inf,
       0.04967294132898050617},
      {"exp", [](double x) { return std::exp(x); }, 0, 1, 1.718281828459045235},
      {"23/25 cosh - cos", [](double x) { return 23.0 / 25 * std::cosh(x) - std::cos(x); }, -1, 1,
       0.4794282266888016674},
      {"1/(x^4+x^2+0.9)", [](double x) { return 1 / (x * x * x * x + x * x + 0.9); }, -1, 1,
       1.582232963729672933},
      {"1/(1+x^4)", [](double x) { return 1 / (1 + x * x * x * x); }, 0, 1, 0.8669729873399110376},
      {"2/(2+sin(10 pi x))", [](double x) { return 2 / (2 + std::sin(10 * pi * x)); }, 0, 1,
       1.154700538379251529},
      {"1/(1+x)", [](double x) { return 1 / (1 + x); }, 0, 1, 0.6931471805599453094},
      {"1/(1+e^x)", [](double x) { return 1 / (1 + std::exp(x)); }, 0, 1, 0.3798854930417224754},
      {"x/(e^x-1)", [](double x) { return x / std::expm1(x); }, 0, 1, 0.7775046341122482764},
      {"sin(100 pi x)/(pi x)", [](double x) { return std::sin(100 * pi * x) / (pi * x); }, 0.1, 1,
       0.009098637539166842916},
      {"sqrt(50) exp(-50 pi x^2)", [](double x) { return std::sqrt(50) * std::exp(-50 * pi * x * x); }, 0, 10,
       0.5},
      {"25 exp(-25 x)", [](double x) { return 25 * std::exp(-25 * x); }, 0, 10, 1.0},
      {"50/(pi(2500x^2+1))", [](double x) { return 50 / (pi * (2500 * x * x + 1)); }, 0, 10,
       0.4993633810764567446},
      {"50 sinc(50 pi x)^2", [](double x) { return 50 * std::pow(std::sin(50 * pi * x) / (50 * pi * x), 2); },
       0.01, 1, 0.1121393037416374103},
      {"cos(cos x+3 sin x+...)",
       [](double x) {
         return std::cos(std::cos(x) + 3 * std::sin(x) + 2 * std::cos(2 * x) + 3 * std::sin(2 * x) +
                         3 * std::cos(3 * x));
       },
       0, pi, 0.8386763426944296145},
      {"1/(x^2+1.005)", [](double x) { return 1 / (x * x + 1.005); }, -1, 1, 1.564396444069049773},
      {"cos(0.6 pi + 10 x)", [](double x) { return std::cos(0.6 * pi + 10 * x); }, 0, 1,
       -0.1580949193097499058},
      {"1/(0.01+(x-0.3)^2)", [](double x) { return 1 / (0.01 + (x - 0.3) * (x - 0.3)); }, 0, 1,
       26.77945044588987122},
      {"(1+10x)^-2", [](double x) { return 1 / ((1 + 10 * x) * (1 + 10 * x)); }, 0, 1,
       0.09090909090909090909},
      {"exp(-100 (x-0.3)^2)", [](double x) { return std::exp(-100 * (x - 0.3) * (x - 0.3)); }, 0, 1,
       0.1772434273712279248},
      {"exp(-10 |x-0.3|)", [](double x) { return std::exp(-10 * std::abs(x - 0.3)); }, 0, 1,
       0.1949301049666581541},
      {"exp(10 x) below 0.3", [](double x) { return x < 0.3 ? std::exp(10 * x) : 0; }, 0, 1,
       1.908553692318766774},
      {"exp(-x^2) cos(3x)", [](double x) { return std::exp(-x * x) * std::cos(3 * x); }, 0, inf,
       0.09340763072856584701},
      {"log(x)/(1+100x^2)", [](double x) { return std::log(x) / (1 + 100 * x * x); }, 0, inf,
       -0.3616892206207732406},
      {"exp(-x^2)", [](double x) { return std::exp(-x * x); }, -inf, inf, 1.772453850905516027},
      {"1/(1+x^2)", [](double x) { return 1 / (1 + x * x); }, -inf, inf, 3.141592653589793238},
      {"exp(x)", [](double x) { return std::exp(x); }, -inf, 0, 1.0},
  };
  return all;
}

}  // namespace battery
