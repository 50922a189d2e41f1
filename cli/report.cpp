#include "report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "numbers.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;

struct NamedOperation {
  const char* name;
  Operation operation;
};

constexpr NamedOperation statistics[] = {{"min", Operation::minimum},       {"max", Operation::maximum},
                                         {"sum", Operation::sum},           {"mean", Operation::mean},
                                         {"variance", Operation::variance}, {"abs-sum", Operation::abs_sum},
                                         {"norm", Operation::two_norm}};

/// The type of the result of `operation` on elements of type `elements`.
ElementType output_type(Operation operation, ElementType elements, const Options& options) {
  return options.output_type.value_or(is_floating(elements) ? ElementType::float64
                                                            : default_result_type(operation, elements));
}

/// One result, in every form.
class Result {
 public:
  Result(const Accumulator& accumulator, Operation operation, ElementType elements, const Options& options)
      : accumulator_(accumulator), operation_(operation), options_(options) {
    value_ = accumulator.rounded(operation, output_type(operation, elements, options), options.ddof);
  }

  std::string text() const {
    switch (options_.format) {
      case NumberFormat::hex:
        return hex();
      case NumberFormat::exact:
        return exact();
      case NumberFormat::shortest:
        break;
    }
    return shortest(value_);
  }
  std::string hex() const { return hexadecimal(value_); }
  std::string exact() const { return accumulator_.exact(operation_, options_.ddof); }
  /// JSON has no infinities and no NaN: those are strings.
  Json json() const {
    if (value_.type() == ElementType::boolean) return value_.unsigned_integer() != 0;
    if (!is_floating(value_.type()))
      return is_signed(value_.type()) ? Json(value_.signed_integer()) : Json(value_.unsigned_integer());
    const double value = value_.floating();
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
  }

 private:
  const Accumulator& accumulator_;
  Operation operation_;
  const Options& options_;
  Scalar value_;
};

void add_results(Json& json, const Accumulator& accumulator, ElementType elements, const Options& options) {
  const bool with_exact = options.format == NumberFormat::exact;
  if (options.operation != Operation::statistics) {
    const Result result(accumulator, options.operation, elements, options);
    json["result"] = result.json();
    json["hex"] = result.hex();
    if (with_exact) json["exact"] = result.exact();
    return;
  }
  for (const auto& [name, operation] : statistics) {
    const Result result(accumulator, operation, elements, options);
    json["result"][name] = result.json();
    json["hex"][name] = result.hex();
    if (with_exact) json["exact"][name] = result.exact();
  }
}

std::string json_report(const Accumulator& accumulator, const std::vector<ArrayReader>& arrays,
                        const Options& options, const Plan& plan) {
  Json json;
  json["operation"] = options.command;
  add_results(json, accumulator, arrays[0].type(), options);
  json["count"] = accumulator.count();
  json["shape"] = arrays[0].shape().value_or(std::vector<std::int64_t>{accumulator.count()});
  if (options.operation == Operation::variance || options.operation == Operation::statistics)
    json["ddof"] = options.ddof;
  json["input_type"] = name_of(arrays[0].type());
  json["output_type"] = name_of(output_type(options.operation, arrays[0].type(), options));
  json["accuracy"] = plan.accuracy == Accuracy::exact ? "exact" : "fast";
  json["threads"] = plan.threads;
  json["target"] = name_of(plan.target);
  json["device"] = "cpu";
  for (const ArrayReader& array : arrays) json["files"].push_back(array.name());
  if (options.explain) json["plan"] = explanation(arrays, options, plan);
  // A file name need not be UTF-8; a result must not be lost over that.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string statistics_report(const Accumulator& accumulator, ElementType elements, const Options& options) {
  std::string text = fmt::format("{:<9} {}\n", "count", accumulator.count());
  for (const auto& [name, operation] : statistics)
    text += fmt::format("{:<9} {}\n", name, Result(accumulator, operation, elements, options).text());
  return text;
}

}  // namespace

std::string report(const Accumulator& accumulator, const std::vector<ArrayReader>& arrays,
                   const Options& options, const Plan& plan) {
  const bool extremum = options.operation == Operation::minimum || options.operation == Operation::maximum;
  if (extremum && accumulator.count() == 0)
    throw DataError(arrays[0].name() + ": has no elements, so there is no " + options.command +
                    "; give an array that is not empty");
  if (options.json) return json_report(accumulator, arrays, options, plan);
  if (options.operation == Operation::statistics)
    return statistics_report(accumulator, arrays[0].type(), options);
  return Result(accumulator, options.operation, arrays[0].type(), options).text() + "\n";
}

std::string explanation(const std::vector<ArrayReader>& arrays, const Options& options, const Plan& plan) {
  const std::string blocks = "read in blocks of at most 4 MiB; threads take turns to read one and add it";
  const ArrayReader& array = arrays[0];
  if (!array.size())
    return fmt::format("{} of {} until the end of {} on {}, {} threads, {}.", name_of(options.operation),
                       name_of(array.type()), array.name(), name_of(plan.target), plan.threads, blocks);
  return fmt::format("{} The file is {}.", explain(plan, options.operation, array.type(), *array.size()),
                     blocks);
}

}  // namespace foldline::cli
