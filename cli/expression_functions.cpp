#include "expression_functions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>

namespace foldline::cli {
namespace {

template <auto f>
void each(const double* a, const double*, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i]);
}
template <auto f>
void each_pair(const double* a, const double* b, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

constexpr auto functions = std::to_array<Function>({
    {"+", 1, each<[](double a) { return a; }>},
    {"-", 1, each<[](double a) { return -a; }>},
    {"+", 2, each_pair<[](double a, double b) { return a + b; }>},
    {"-", 2, each_pair<[](double a, double b) { return a - b; }>},
    {"*", 2, each_pair<[](double a, double b) { return a * b; }>},
    {"/", 2, each_pair<[](double a, double b) { return a / b; }>},
    {"^", 2, each_pair<[](double a, double b) { return std::pow(a, b); }>},
    {"abs", 1, each<[](double a) { return std::abs(a); }>},
    {"acos", 1, each<[](double a) { return std::acos(a); }>},
    {"acosh", 1, each<[](double a) { return std::acosh(a); }>},
    {"asin", 1, each<[](double a) { return std::asin(a); }>},
    {"asinh", 1, each<[](double a) { return std::asinh(a); }>},
    {"atan", 1, each<[](double a) { return std::atan(a); }>},
    {"atan2", 2, each_pair<[](double a, double b) { return std::atan2(a, b); }>},
    {"atanh", 1, each<[](double a) { return std::atanh(a); }>},
    {"cbrt", 1, each<[](double a) { return std::cbrt(a); }>},
    {"ceil", 1, each<[](double a) { return std::ceil(a); }>},
    {"cos", 1, each<[](double a) { return std::cos(a); }>},
    {"cosh", 1, each<[](double a) { return std::cosh(a); }>},
    {"erf", 1, each<[](double a) { return std::erf(a); }>},
    {"erfc", 1, each<[](double a) { return std::erfc(a); }>},
    {"exp", 1, each<[](double a) { return std::exp(a); }>},
    {"exp2", 1, each<[](double a) { return std::exp2(a); }>},
    {"expm1", 1, each<[](double a) { return std::expm1(a); }>},
    {"floor", 1, each<[](double a) { return std::floor(a); }>},
    {"gamma", 1, each<[](double a) { return std::tgamma(a); }>},
    {"hypot", 2, each_pair<[](double a, double b) { return std::hypot(a, b); }>},
    {"ln", 1, each<[](double a) { return std::log(a); }>},
    {"log", 1, each<[](double a) { return std::log(a); }>},
    {"log10", 1, each<[](double a) { return std::log10(a); }>},
    {"log1p", 1, each<[](double a) { return std::log1p(a); }>},
    {"log2", 1, each<[](double a) { return std::log2(a); }>},
    {"max", 2, each_pair<[](double a, double b) { return std::fmax(a, b); }>},
    {"min", 2, each_pair<[](double a, double b) { return std::fmin(a, b); }>},
    {"mod", 2, each_pair<[](double a, double b) { return std::fmod(a, b); }>},
    {"pow", 2, each_pair<[](double a, double b) { return std::pow(a, b); }>},
    {"round", 1, each<[](double a) { return std::round(a); }>},
    {"sin", 1, each<[](double a) { return std::sin(a); }>},
    {"sinh", 1, each<[](double a) { return std::sinh(a); }>},
    {"sign", 1, each<sign>},
    {"sqrt", 1, each<[](double a) { return std::sqrt(a); }>},
    {"tan", 1, each<[](double a) { return std::tan(a); }>},
    {"tanh", 1, each<[](double a) { return std::tanh(a); }>},
});

constexpr Constant constants[] = {{"pi", std::numbers::pi},
                                  {"e", std::numbers::e},
                                  {"inf", std::numeric_limits<double>::infinity()},
                                  {"infinity", std::numeric_limits<double>::infinity()}};

bool is_word(std::string_view name) { return std::isalpha(static_cast<unsigned char>(name[0])) != 0; }

}  // namespace

const Function* find_function(std::string_view name, int operands) {
  const auto found = std::ranges::find_if(
      functions, [&](const Function& f) { return f.name == name && f.operands == operands; });
  return found == functions.end() ? nullptr : &*found;
}

bool is_function(std::string_view name) {
  return std::ranges::any_of(functions, [&](const Function& f) { return is_word(f.name) && f.name == name; });
}

const Constant* find_constant(std::string_view name) {
  const auto* const found = std::ranges::find(constants, name, &Constant::name);
  return found == std::end(constants) ? nullptr : found;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names = {"x"};
  for (const Constant& constant : constants) names.emplace_back(constant.name);
  for (const Function& function : functions)
    if (is_word(function.name)) names.emplace_back(function.name);
  return names;
}

}  // namespace foldline::cli
