// Values: the closed forms that stand beside them, in 40 digits by mpmath.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "quadrature/battery.hpp"

namespace battery {

namespace {

using std::numbers::e, std::numbers::ln2, std::numbers::pi, std::numbers::sqrt2;
constexpr double inf = std::numeric_limits<double>::infinity();

/// Of height 1 / width at `centre`: a Lorentzian.
double peak(double x, double centre, double width) {
  return width / ((x - centre) * (x - centre) + width * width);
}
double tent(double x) { return std::max(0.0, 1 - std::abs(x)); }
double box(double x, double begin, double end) { return begin < x && x < end ? 1 : 0; }
double step(double x, double place) { return x > place ? 1 : 0; }

}  // namespace

const std::vector<Problem>& peaks_and_steps() {
  static const std::vector<Problem> all = {
      {"exp(-x^2) to 100", [](double x) { return std::exp(-x * x); }, -100, 100, 1.7724538509055160273,
       "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-x^2) to 1000", [](double x) { return std::exp(-x * x); }, -1000, 1000, 1.7724538509055160273,
       "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-x^2) to 10000", [](double x) { return std::exp(-x * x); }, -10000, 10000, 1.7724538509055160273,
       "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-x^2) to 1e6", [](double x) { return std::exp(-x * x); }, -1e6, 1e6, 1.7724538509055160273,
       "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x - 0.3)^2) to 100", [](double x) { return std::exp(-(x - 0.3) * (x - 0.3)); }, -100, 100,
       1.7724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x - 1)^2) to 1000", [](double x) { return std::exp(-(x - 1) * (x - 1)); }, -1000, 1000,
       1.7724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x - 3)^2) to 1000", [](double x) { return std::exp(-(x - 3) * (x - 3)); }, -1000, 1000,
       1.7724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x - -7.3)^2) to 500", [](double x) { return std::exp(-(x + 7.3) * (x + 7.3)); }, -500, 500,
       1.7724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x - 30)^2) to 1000", [](double x) { return std::exp(-(x - 30) * (x - 30)); }, -1000, 1000,
       1.7724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-x^2) from 0 to 10^6", [](double x) { return std::exp(-x * x); }, 0, 1e6, 0.88622692545275801365,
       "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-10^4(x - 0.5)^2)", [](double x) { return std::exp(-1e4 * (x - 0.5) * (x - 0.5)); }, 0, 1,
       0.017724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-10^8(x - 0.5)^2)", [](double x) { return std::exp(-1e8 * (x - 0.5) * (x - 0.5)); }, 0, 1,
       0.00017724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-10^4(x - 0.7)^2)", [](double x) { return std::exp(-1e4 * (x - 0.7) * (x - 0.7)); }, 0, 1,
       0.017724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-10^6(x - 1/3)^2)", [](double x) { return std::exp(-1e6 * (x - 1.0 / 3) * (x - 1.0 / 3)); }, 0, 1,
       0.0017724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x - 50)^2)", [](double x) { return std::exp(-(x - 50) * (x - 50)); }, -inf, inf,
       1.7724538509055160273, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"exp(-(x + 20)^2 / 50)", [](double x) { return std::exp(-(x + 20) * (x + 20) / 50); }, -inf, 0,
       12.532744433003644639, "s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"x^2 exp(-x^2) to 1000", [](double x) { return x * x * std::exp(-x * x); }, -1000, 1000,
       0.88622692545275801365, "sqrt(pi)/2, by parts"},
      {"Lorentzian of width 1e-3 at 0.5", [](double x) { return peak(x, 0.5, 1e-3); }, 0, 1,
       3.1375926589231137718, "atan((b - c)/w) - atan((a - c)/w)"},
      {"Lorentzian of width 1e-4 at 1/3", [](double x) { return peak(x, 1.0 / 3, 1e-4); }, 0, 1,
       3.141142653599918238, "atan((b - c)/w) - atan((a - c)/w)"},
      {"Lorentzian of width 1e-5 at 0.7", [](double x) { return peak(x, 0.7, 1e-5); }, 0, 1,
       3.1415450345421875083, "atan((b - c)/w) - atan((a - c)/w)"},
      {"Lorentzian of width 1e-6 at 0.3", [](double x) { return peak(x, 0.3, 1e-6); }, 0, 1,
       3.141587891685031347, "atan((b - c)/w) - atan((a - c)/w)"},
      {"1/(1 + (x - 0)^2) to 10000", [](double x) { return peak(x, 0, 1); }, -10000, 10000,
       3.1413926535904599051, "atan((b - c)/w) - atan((a - c)/w)"},
      {"1/(1 + (x - 0)^2) to 1e6", [](double x) { return peak(x, 0, 1); }, -1e6, 1e6, 3.1415906535897932391,
       "atan((b - c)/w) - atan((a - c)/w)"},
      {"1/(1 + (x - 7)^2) to 1000", [](double x) { return peak(x, 7, 1); }, -1000, 1000,
       3.1395925562518532935, "atan((b - c)/w) - atan((a - c)/w)"},
      {"Lorentzian of width 0.01 at 20", [](double x) { return peak(x, 20, 0.01); }, 0, inf,
       3.1410926536314598989, "atan((b - c)/w) - atan((a - c)/w)"},
      {"tent |x| < 1 to 1000", [](double x) { return tent(x); }, -1000, 1000, 1.0, "area of a triangle"},
      {"tent |x| < 1 to 1e5", [](double x) { return tent(x); }, -1e5, 1e5, 1.0, "area of a triangle"},
      {"tent |x - 0.3| < 1 to 100", [](double x) { return tent(x - 0.3); }, -100, 100, 1.0,
       "area of a triangle"},
      {"tent |x - 1/3| < 1/100", [](double x) { return tent(100 * (x - 1.0 / 3)); }, 0, 1, 0.01,
       "area of a triangle"},
      {"tent |x - 5| < 1", [](double x) { return tent(x - 5); }, 0, inf, 1.0, "area of a triangle"},
      {"box |x| < 1 to 1000", [](double x) { return box(x, -1, 1); }, -1000, 1000, 2.0,
       "length of an interval"},
      {"box |x| < 1 to 1e4", [](double x) { return box(x, -1, 1); }, -1e4, 1e4, 2.0, "length of an interval"},
      {"box (1/e, 1/sqrt(2))", [](double x) { return box(x, 1 / e, 1 / sqrt2); }, 0, 1,
       0.33922734001510520281, "length of an interval"},
      {"box (1/3, 1/3 + 1/100)", [](double x) { return box(x, 1.0 / 3, 1.0 / 3 + 0.01); }, 0, 1, 0.01,
       "length of an interval"},
      {"step at 1/pi", [](double x) { return step(x, 1 / pi); }, 0, 1, 0.68169011381620932846,
       "length of an interval"},
      {"step at sqrt(2)/2", [](double x) { return step(x, 1 / sqrt2); }, 0, 1, 0.2928932188134524756,
       "length of an interval"},
      {"step at e on (-1000, 1000)", [](double x) { return step(x, e); }, -1000, 1000, 997.28171817154095476,
       "length of an interval"},
      {"sign(x - 1/e)", [](double x) { return step(x, 1 / e) * 2 - 1; }, 0, 1, 0.26424111765711535681,
       "length of an interval"},
      {"floor(10 x / pi)", [](double x) { return std::floor(10 * x / pi); }, 0, pi, 14.137166941154069573,
       "pi/10 (0 + 1 + ... + 9)"},
      {"exp(-x) beyond sqrt(2)", [](double x) { return std::exp(-x) * step(x, sqrt2); }, 0, inf,
       0.2431167344342142108, "exp(-sqrt(2))"},
      {"x^2 up to ln 2, then 1", [](double x) { return x < ln2 ? x * x : 1; }, 0, 1, 0.41786103676969785049,
       "ln(2)^3/3 + 1 - ln(2)"},
      {"cos(x) but 0 between 1 and 1/ln 2", [](double x) { return box(x, 1, 1 / ln2) > 0 ? 0 : std::cos(x); },
       0, pi / 2, 0.84966474041423278473, "1 - (sin(1/ln 2) - sin(1))"},
      {"exp(-|x|) to 1000", [](double x) { return std::exp(-std::abs(x)); }, -1000, 1000, 2.0,
       "2 (1 - exp(-b))"},
      {"exp(-|x|) to 1e5", [](double x) { return std::exp(-std::abs(x)); }, -1e5, 1e5, 2.0,
       "2 (1 - exp(-b))"},
      {"exp(-1000 |x - 1/sqrt(2)|)", [](double x) { return std::exp(-1000 * std::abs(x - 1 / sqrt2)); }, 0, 1,
       0.002, "(2 - exp(-1000 c) - exp(-1000 (1 - c)))/1000"},
      {"sech(x)^2 to 700", [](double x) { return std::pow(std::cosh(x), -2); }, -700, 700, 2.0, "2 tanh(b)"},
      {"sech(100(x - 0.4))^2", [](double x) { return std::pow(std::cosh(100 * (x - 0.4)), -2); }, 0, 1, 0.02,
       "(tanh(60) + tanh(40))/100"},
      {"two Gaussians on a slope",
       [](double x) {
         return x + std::exp(-1e4 * (x - 0.25) * (x - 0.25)) + std::exp(-1e4 * (x - 0.8) * (x - 0.8));
       },
       0, 1, 0.53544907701811032055, "1/2 + s sqrt(pi)/2 (erf((b - c)/s) - erf((a - c)/s))"},
      {"sin(x) and a Lorentzian at 1", [](double x) { return std::sin(x) + 1e-3 * peak(x, 1, 1e-2); }, 0, pi,
       2.0031269235987700266, "2 + (atan((b - c)/w) - atan((a - c)/w))/1000"},
      {"logistic step at 1/3", [](double x) { return 1 / (1 + std::exp(-1e4 * (x - 1.0 / 3))); }, 0, 1,
       0.66666666666666666667, "(ln(1 + exp(k (1 - c))) - ln(1 + exp(-k c)))/k"},
      {"atan(1000 (x - 1/pi))", [](double x) { return std::atan(1000 * (x - 1 / pi)); }, 0, 1,
       0.57003477829829191303, "u atan(u) - ln(1 + u^2)/2 at u = 1000 (x - 1/pi), over 1000"},
  };
  return all;
}

}  // namespace battery
