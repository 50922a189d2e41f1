#include "integrate.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "convergence.hpp"
#include "expression.hpp"
#include "gpu_formula.hpp"
#include "json_report.hpp"
#include "numbers.hpp"
#include "plain_sums.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;

Expression parse_formula(const std::string& text) {
  try {
    return Expression(text);
  } catch (const ExpressionError& error) {
    throw FormulaError(error.pointing_at(text));
  }
}

double parse_end(const std::string& text) {
  const Expression end = parse_formula(text);
  if (!end.is_constant())
    throw UsageError(fmt::format("'{}' depends on x, so it is no end of an interval; give a number", text));
  return end.value();
}

/// A formula and the interval to integrate it over.
struct Task {
  explicit Task(const Options& options)
      : f(parse_formula(options.integral.formula)),
        a(parse_end(options.integral.begin)),
        b(parse_end(options.integral.end)) {}
  Expression f;
  double a, b;
};

/// Applies quadrature rules to a formula: on the CPU or a GPU, with exact or plain sums.
class RuleRunner {
 public:
  RuleRunner(const Task& task, const Options& options)
      : task_(task), context_(options.context), plain_(options.integral.plain_sums) {
    if (context_.execution.device.kind == Device::Kind::cuda)
      gpu_ = std::make_unique<GpuFormula>(task.f, context_.execution.device);
  }
  Integral by(Rule rule, std::int64_t n) const {
    return gpu_ ? gpu_->integrate(task_.a, task_.b, rule, n)
                : integrate(task_.f, task_.a, task_.b, rule, n, context_);
  }
  double value_by(Rule rule, std::int64_t n) const {
    return plain_ ? by_plain_sums(task_.f, task_.a, task_.b, rule, n) : by(rule, n).value;
  }

 private:
  const Task& task_;
  Context context_;
  bool plain_;
  std::unique_ptr<GpuFormula> gpu_;
};

std::string printed(double value, const Options& options) {
  return options.format == NumberFormat::hex ? hexadecimal(Scalar(value)) : shortest(Scalar(value));
}

Json json_of(const Options& options, const Task& task) {
  Json json;
  json["operation"] = "integrate";
  json["formula"] = options.integral.formula;
  json["from"] = shortest(Scalar(task.a));  // texts, since JSON has no infinity
  json["to"] = shortest(Scalar(task.b));
  return json;
}

/// The result is null if it is not finite, when "hex" says what it is, or not reliable (nullopt).
void add_result(Json& json, std::optional<double> value, std::int64_t evaluations, std::int64_t bad) {
  const bool is_known = value && std::isfinite(*value);
  json["result"] = is_known ? Json(*value) : Json();
  json["hex"] = value ? Json(hexadecimal(Scalar(*value))) : Json();
  json["evaluations"] = evaluations;
  json["non_finite"] = bad;
}

Output by_rule(const Options& options, const Task& task,
               const std::function<void(const std::string&)>& explain) {
  const IntegrateOptions& asked = options.integral;
  constexpr std::array names = {"midpoint", "trapezoid", "simpson", "gauss-legendre"};
  const std::string name = names[static_cast<std::size_t>(*asked.rule)];
  const std::array rules = {Rule::midpoint(), Rule::trapezoid(), Rule::simpson(),
                            Rule::gauss_legendre(static_cast<int>(asked.points.value_or(5)))};
  const Rule rule = rules[static_cast<std::size_t>(*asked.rule)];
  const Integral found = RuleRunner(task, options).by(rule, *asked.intervals);
  explain(fmt::format("{} on {} intervals, {} samples on {}, added up exactly.", name, *asked.intervals,
                      found.evaluations, name_of(options.context.execution.device)));
  const std::string problem =
      found.non_finite == 0
          ? ""
          : fmt::format(
                "{} of {} samples are infinite or not a number, so the sum is {}; choose ends that leave "
                "them out, or a --tolerance",
                found.non_finite, found.evaluations, found.value);
  if (!options.json) {
    if (!problem.empty()) throw Error(problem);
    return printed(found.value, options) + "\n";
  }
  Json json = json_of(options, task);
  json["rule"] = name;
  json["intervals"] = *asked.intervals;
  add_result(json, found.value, found.evaluations, found.non_finite);
  return Output(dump(json)).with_failure(problem);
}

/// How an integral is found to a tolerance.
IntegrationOptions method_of(const IntegrateOptions& asked) {
  IntegrationOptions options;
  options.method = asked.method.value_or(options.method);
  options.max_evaluations = asked.max_evaluations.value_or(options.max_evaluations);
  return options;
}

Output to_tolerance(const Options& options, const Task& task,
                    const std::function<void(const std::string&)>& explain) {
  const double tolerance = options.integral.tolerance.value_or(1e-10);
  const IntegrationOptions asked = method_of(options.integral);
  const bool is_tanh_sinh = asked.method == IntegrationMethod::tanh_sinh;
  const std::string method = is_tanh_sinh ? "tanh-sinh" : "gauss-kronrod";
  const IntegralEstimate found = integrate_to(task.f, task.a, task.b, tolerance, asked);
  explain(fmt::format("{}, {} samples, an error of at most about {:.1e}.", method, found.evaluations,
                      found.error));
  const std::string problem =
      found.converged ? "" : why_not_converged(found, task.a, task.b, tolerance, asked.method);
  if (!options.json) {
    if (!problem.empty()) throw Error(problem);
    return printed(found.value, options) + "\n";
  }
  Json json = json_of(options, task);
  json["method"] = method;
  json["tolerance"] = tolerance;
  add_result(json, found.converged ? std::optional(found.value) : std::nullopt, found.evaluations,
             found.non_finite);
  json["error"] = std::isfinite(found.error) ? Json(found.error) : Json();
  json["converged"] = found.converged;
  json["status"] = name_of(found.status);
  if (!found.converged) {
    const bool has_best = std::isfinite(found.value) && found.status != IntegrationStatus::may_diverge;
    json["best"] = has_best ? Json(found.value) : Json();
    json["near"] = shortest(Scalar(found.where));  // a text, as the ends are
  }
  return Output(dump(json)).with_failure(problem);
}

struct ComparedRule {
  const char* name;
  Rule rule;
};
constexpr ComparedRule compared_rules[] = {{"midpoint", Rule::midpoint()},
                                           {"trapezoid", Rule::trapezoid()},
                                           {"simpson", Rule::simpson()},
                                           {"gauss 2", Rule::gauss_legendre(2)},
                                           {"gauss 5", Rule::gauss_legendre(5)}};

/// "4.2e-05  2.00": an error, and the power of 1/n that it falls with.
std::string cell(double error, double before) {
  const bool falls = before > 0 && error > 0 && std::isfinite(error) && std::isfinite(before);
  return fmt::format("  {:>9.1e} {:>5}", error,
                     falls ? fmt::format("{:.2f}", std::log2(before / error)) : "");
}

std::string compare(const Options& options, const Task& task) {
  const IntegralEstimate best = integrate_to(task.f, task.a, task.b, {0, 1e-15}, method_of(options.integral));
  if (!(best.error <= 1e-6 * std::abs(best.value)))
    throw Error("there is nothing to compare with: " +
                why_not_converged(best, task.a, task.b, 1e-6, method_of(options.integral).method));
  const std::int64_t largest = options.integral.intervals.value_or(1024);
  const RuleRunner runner(task, options);
  std::string text = fmt::format("{:>9}", "n");
  Json json = json_of(options, task);
  add_result(json, best.value, best.evaluations, best.non_finite);
  json["error"] = best.error;
  json["rows"] = Json::array();
  for (const ComparedRule& compared : compared_rules)
    text += fmt::format("  {:>9} {:>5}", compared.name, "order");
  text += "\n";
  std::array<double, std::size(compared_rules)> before = {};
  for (std::int64_t n = 2; n <= largest; n *= 2) {
    std::string line = fmt::format("{:>9}", n);
    Json row = {{"n", n}};
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double error = std::abs(runner.value_by(compared_rules[i].rule, n) - best.value);
      line += cell(error, before[i]);
      row[compared_rules[i].name] = std::isfinite(error) ? Json(error) : Json();
      before[i] = error;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    json["rows"].push_back(row);
    if (n > largest / 2) break;
  }
  text += fmt::format("Errors are differences from {}, which may itself be wrong by {:.1e}.\n",
                      printed(best.value, options), best.error);
  return options.json ? dump(json) : text;
}

}  // namespace

Output integrate_formula(const Options& options, const std::function<void(const std::string&)>& explain) {
  const Task task(options);
  if ((options.integral.compare || options.integral.rule) &&
      !(std::isfinite(task.a) && std::isfinite(task.b)))
    throw Error(
        "a rule needs finite ends; to a --tolerance, without --rule, --compare and -n, they may be infinite");
  if (options.integral.compare) return compare(options, task);
  return options.integral.rule ? by_rule(options, task, explain) : to_tolerance(options, task, explain);
}

}  // namespace foldline::cli
