#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "array_output.hpp"
#include "json_report.hpp"
#include "numbers.hpp"
#include "printable.hpp"
#include "result_type.hpp"

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
  Result(const Accumulator& accumulator, Operation operation, const Found& found, const Options& options)
      : accumulator_(accumulator), operation_(operation), options_(options) {
    // Of nothing, extrema among statistics are NaN, which integers lack.
    const ElementType type = options.operation == Operation::statistics && accumulator.count() == 0
                                 ? ElementType::float64
                                 : result_type(operation, found.types, options);
    value_ = accumulator.rounded(operation, type, options.ddof, options.context.overflow);
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
  Json json() const { return as_json(value_); }

 private:
  const Accumulator& accumulator_;
  Operation operation_;
  const Options& options_;
  Scalar value_;
};

class Report {
 public:
  Report(const Found& found, const Options& options)
      : found_(found), options_(options), many_(found.has_groups || found.has_columns) {}

  std::string json() const {
    Json json;
    json["operation"] = options_.command;
    if (!many_) {
      add_results(json, total(found_.rows[0]));
    } else {
      json["results"] = Json::array();
      for (const Row& row : found_.rows) json["results"].push_back(json_of(row));
    }
    add_provenance(json, found_, options_);
    return dump(json);
  }

  std::string text() const {
    if (many_) return table();
    const Accumulator accumulator = total(found_.rows[0]);
    if (options_.operation != Operation::statistics)
      return result(accumulator, options_.operation).text() + "\n";
    std::string lines = fmt::format("{:<9} {}\n", "count", accumulator.count());
    for (const auto& [name, operation] : statistics)
      lines += fmt::format("{:<9} {}\n", name, result(accumulator, operation).text());
    return lines;
  }

 private:
  Result result(const Accumulator& accumulator, Operation operation) const {
    return {accumulator, operation, found_, options_};
  }

  Accumulator total(const Row& row) const {
    Accumulator accumulator = row.sum.total(options_.operation, block_context(found_.plan, options_));
    const bool extremum =
        options_.operation == Operation::minimum || options_.operation == Operation::maximum;
    if (extremum && accumulator.count() == 0)
      throw DataError(fmt::format(
          "{}: {}has no elements, so there is no {}; give one that is not empty", found_.files[0],
          row.column.empty() ? "" : fmt::format("column '{}' ", printable(row.column)), options_.command));
    return accumulator;
  }

  Json json_of(const Row& row) const {
    Json json;
    if (found_.key_names.size() == 1) json["key"] = row.key;
    if (found_.key_names.size() > 1) json["keys"] = key_parts(row);
    if (found_.has_columns) json["column"] = row.column;
    add_results(json, total(row));
    return json;
  }

  void add_results(Json& json, const Accumulator& accumulator) const {
    const bool with_exact = options_.format == NumberFormat::exact;
    if (options_.operation != Operation::statistics) {
      const Result value = result(accumulator, options_.operation);
      json["result"] = value.json();
      json["hex"] = value.hex();
      if (with_exact) json["exact"] = value.exact();
    } else {
      for (const auto& [name, operation] : statistics) {
        const Result value = result(accumulator, operation);
        json["result"][name] = value.json();
        json["hex"][name] = value.hex();
        if (with_exact) json["exact"][name] = value.exact();
      }
    }
    json["count"] = accumulator.count();
  }

  /// A line for each row, with tabs between; for statistics with a heading.
  std::string table() const {
    std::string text;
    if (options_.operation == Operation::statistics) {
      if (found_.key_names.size() == 1) text += "key\t";
      if (found_.key_names.size() > 1)
        for (const std::string& name : found_.key_names) text += without_controls(name) + "\t";
      if (found_.has_columns) text += "column\t";
      text += "count";
      for (const NamedOperation& statistic : statistics) text += fmt::format("\t{}", statistic.name);
      text += "\n";
    }
    for (const Row& row : found_.rows) text += line(row);
    return text;
  }

  std::string line(const Row& row) const {
    const Accumulator accumulator = total(row);
    std::string text;
    if (found_.has_groups)
      for (const std::string& part : key_parts(row)) text += without_controls(part) + "\t";
    if (found_.has_columns) text += without_controls(row.column) + "\t";
    if (options_.operation != Operation::statistics)
      return text + result(accumulator, options_.operation).text() + "\n";
    text += fmt::format("{}", accumulator.count());
    for (const NamedOperation& statistic : statistics)
      text += fmt::format("\t{}", result(accumulator, statistic.operation).text());
    return text + "\n";
  }

  /// A tab or line end in a name would look like one of the table.
  static std::string without_controls(std::string text) {
    std::ranges::replace_if(text, [](char c) { return c >= 0 && c < ' '; }, ' ');
    return text;
  }

  const Found& found_;
  const Options& options_;
  bool many_;
};

}  // namespace

std::string report(const Found& found, const Options& options) {
  const Report report(found, options);
  return options.json ? report.json() : report.text();
}

}  // namespace foldline::cli
