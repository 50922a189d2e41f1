#include "integrate_options.hpp"

#include <cctype>
#include <cmath>

#include "choices.hpp"
#include "numbers.hpp"
#include "option_groups.hpp"

namespace foldline::cli {
namespace {

const Choices<Rule::Kind> rules = {{"midpoint", Rule::Kind::midpoint},
                                   {"trapezoid", Rule::Kind::trapezoid},
                                   {"simpson", Rule::Kind::simpson},
                                   {"gauss-legendre", Rule::Kind::gauss_legendre}};
const Choices<IntegrationMethod> methods = {{"gauss-kronrod", IntegrationMethod::gauss_kronrod},
                                            {"tanh-sinh", IntegrationMethod::tanh_sinh}};

std::string check_tolerance(const std::string& text) {
  const std::optional<double> value = number_of(text);
  if (value && *value > 0 && std::isfinite(*value)) return "";
  return "'" + text + "' is not a positive number; give one such as 1e-10";
}

void add_method(CLI::App& command, IntegrateOptions& options) {
  const std::string group = "To a tolerance";
  command
      .add_option_function<std::string>(
          "--tolerance", [&options](const std::string& text) { options.tolerance = number_of(text); },
          "Largest error: this, or this times the integral if that is more (default: 1e-10)")
      ->check(check_tolerance)
      ->type_name("T")
      ->group(group);
  add_choice(command, "--method", options.method, methods,
             "Bisection with extrapolation, or the double exponential method, for singular ends (default: "
             "gauss-kronrod)")
      ->group(group);
  command
      .add_option("--max-evaluations", options.max_evaluations,
                  "Samples after which to give up (default: 200000)")
      ->check(whole_number(1))
      ->type_name("N")
      ->group(group);
}

void add_rule(CLI::App& command, IntegrateOptions& options) {
  const std::string group = "By a rule";
  add_choice(command, "--rule", options.rule, rules, "A rule on -n intervals of equal width")->group(group);
  command
      .add_option_function<std::int64_t>(
          "-n,--intervals", [&options](std::int64_t n) { options.intervals = n; },
          "Intervals; --compare needs none, and has up to so many (default: 1024)")
      ->check(whole_number(1))
      ->type_name("N")
      ->group(group);
  command.add_option("--points", options.points, "Points of gauss-legendre in an interval (default: 5)")
      ->check(whole_number(1, 10'000))
      ->type_name("P")
      ->group(group);
  command
      .add_flag("--compare", options.compare,
                "A table of all rules' errors, and of how fast they fall, against n")
      ->group(group);
  command
      .add_flag("--plain-sums", options.plain_sums,
                "With --compare: samples are added one after another, with a rounding each, as textbooks do")
      ->group(group);
}

}  // namespace

void add_integrate(CLI::App& app, Parsed& parsed) {
  Options& options = parsed.options;
  IntegrateOptions& integral = options.integral;
  CLI::App* command =
      add_command(app, parsed, "integrate", "Integral of a formula in x, to a tolerance or by a rule",
                  "'exp(-x^2)*cos(3*x)' 0 inf --tolerance 1e-12", Action::integrate);
  command
      ->add_option("FORMULA", integral.formula,
                   "Numbers, x, + - * / ^ ( ), pi, e, and functions such as sqrt, exp, log, sin, atan2, erf, "
                   "gamma, abs, "
                   "max")
      ->required()
      ->type_name("FORMULA");
  command->add_option("A", integral.begin, "Lower end: a formula without x; -inf is one")
      ->required()
      ->type_name("A");
  command->add_option("B", integral.end, "Upper end, such as 1, 2*pi or inf")->required()->type_name("B");
  add_method(*command, integral);
  add_rule(*command, integral);
  add_json_option(*command, options);
  add_format_option(*command, options);
  add_computation_options(*command, options);
}

void check_integral(const Options& all) {
  if (all.context.accuracy == Accuracy::fast)
    throw UsageError(
        "integrate adds up samples exactly, which costs less than they do; leave --accuracy fast out");
  if (all.format == NumberFormat::exact)
    throw UsageError(
        "--format exact is for sums of given numbers, which an integral is not; use shortest or hex");
  const IntegrateOptions& options = all.integral;
  if (all.all_gpus)
    throw UsageError(
        "--device cuda:all shares files among GPUs; name the one for an integral, such as cuda:0");
  if (all.context.execution.device.kind == Device::Kind::cuda && !options.rule && !options.compare)
    throw UsageError("to a tolerance, integrate runs on the CPU; give a --rule, or leave --device cuda out");
  if (options.plain_sums && !options.compare)
    throw UsageError(
        "--plain-sums is for the table of --compare; other results are never worse than need be");
  if (options.plain_sums && all.context.execution.device.kind == Device::Kind::cuda)
    throw UsageError("--plain-sums adds up on the CPU; leave --device cuda out");
  if (options.compare && options.rule)
    throw UsageError("--compare shows all rules, --rule takes one; leave one of them out");
  if (options.rule && !options.intervals)
    throw UsageError("--rule needs a number of intervals; give -n 1000, say");
  if (options.intervals && !options.rule && !options.compare)
    throw UsageError("-n is for --rule and --compare; give one of them, or --tolerance instead of -n");
  if (options.tolerance && (options.rule || options.compare))
    throw UsageError("--rule and --compare take a number of intervals, not a --tolerance; leave one out");
  if (options.rule && (options.method || options.max_evaluations))
    throw UsageError("--method and --max-evaluations are for integrals to a tolerance; leave --rule out");
  if (options.points && options.rule != Rule::Kind::gauss_legendre)
    throw UsageError("--points is for --rule gauss-legendre; give that, or leave --points out");
  if (options.rule == Rule::Kind::simpson && *options.intervals % 2 != 0)
    throw UsageError("Simpson's rule takes intervals in pairs; give an even -n");
}

bool is_negative_formula(std::string_view word) {
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
  const bool is_option =
      word == "-h" || word == "-n" || (word.starts_with("-n") && std::isdigit(word[2]) != 0);
  return !is_option;
}

}  // namespace foldline::cli
