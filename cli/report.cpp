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

/// One result, in every form.
class Result {
 public:
  Result(const Accumulator& accumulator, Operation operation, const Options& options)
      : accumulator_(accumulator), operation_(operation), options_(options) {
    value_ = accumulator.rounded(operation, options.output_type, options.ddof);
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
    return shortest(value_, options_.output_type);
  }
  std::string hex() const { return hexadecimal(value_); }
  std::string exact() const { return accumulator_.exact(operation_, options_.ddof); }
  /// JSON has no infinities and no NaN: those are strings.
  Json json() const { return std::isfinite(value_) ? Json(value_) : Json(fmt::format("{}", value_)); }

 private:
  const Accumulator& accumulator_;
  Operation operation_;
  const Options& options_;
  double value_ = 0;
};

void add_results(Json& json, const Accumulator& accumulator, const Options& options) {
  const bool with_exact = options.format == NumberFormat::exact;
  if (options.operation != Operation::statistics) {
    const Result result(accumulator, options.operation, options);
    json["result"] = result.json();
    json["hex"] = result.hex();
    if (with_exact) json["exact"] = result.exact();
    return;
  }
  for (const auto& [name, operation] : statistics) {
    const Result result(accumulator, operation, options);
    json["result"][name] = result.json();
    json["hex"][name] = result.hex();
    if (with_exact) json["exact"][name] = result.exact();
  }
}

std::string json_report(const Accumulator& accumulator, const std::vector<ArrayReader>& arrays,
                        const Options& options, const Plan& plan) {
  Json json;
  json["operation"] = options.command;
  add_results(json, accumulator, options);
  json["count"] = accumulator.count();
  json["shape"] = arrays[0].shape().value_or(std::vector<std::int64_t>{accumulator.count()});
  if (options.operation == Operation::variance || options.operation == Operation::statistics)
    json["ddof"] = options.ddof;
  json["input_type"] = name_of(arrays[0].type());
  json["output_type"] = name_of(options.output_type);
  json["accuracy"] = plan.accuracy == Accuracy::exact ? "exact" : "fast";
  json["threads"] = plan.threads;
  json["target"] = name_of(plan.target);
  json["device"] = "cpu";
  for (const ArrayReader& array : arrays) json["files"].push_back(array.name());
  if (options.explain) json["plan"] = explanation(arrays, options, plan);
  // A file name need not be UTF-8; a result must not be lost over that.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string statistics_report(const Accumulator& accumulator, const Options& options) {
  std::string text = fmt::format("{:<9} {}\n", "count", accumulator.count());
  for (const auto& [name, operation] : statistics)
    text += fmt::format("{:<9} {}\n", name, Result(accumulator, operation, options).text());
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
  if (options.operation == Operation::statistics) return statistics_report(accumulator, options);
  return Result(accumulator, options.operation, options).text() + "\n";
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
