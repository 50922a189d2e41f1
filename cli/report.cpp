#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "json_report.hpp"
#include "printable.hpp"
#include "result.hpp"
#include "table.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Whether there is none of no elements. (In a table of statistics it is NaN.)
bool needs_elements(const Options& options) {
  if (options.counts) return false;
  switch (options.operation) {
    case Operation::sum:
    case Operation::abs_sum:
    case Operation::two_norm:
    case Operation::dot:
      return false;
    default:
      return true;
  }
}

class Report {
 public:
  Report(const Found& found, const Options& options)
      : found_(found),
        options_(options),
        quantities_(quantities_of(options)),
        is_of_many_(found.has_groups || found.has_columns),
        is_of_statistics_(options.operation == Operation::statistics),
        is_summary_(found.has_columns && summarises(options)) {}

  std::string json() {
    Json json;
    json["operation"] = options_.command;
    if (!is_of_many_) {
      add_results(json, total(found_.rows[0]));
    } else {
      json["results"] = Json::array();
      for (const Row& row : found_.rows) json["results"].push_back(json_of(row));
    }
    if (is_summary_) json["left_out"] = left_out();
    add_provenance(json, found_, options_);
    return dump(json);
  }

  std::string text() {
    const bool is_for_people = is_summary_ && !options_.text_options.each_column && !options_.output_format;
    const bool is_table = is_for_people || options_.output_format == OutputFormat::table;
    if (is_of_statistics_ && !is_of_many_ && (is_table || !options_.output_format)) return lines();
    if (is_table) return as_table();
    const bool has_heading = options_.output_format || is_of_statistics_;
    const bool is_csv = options_.output_format == OutputFormat::csv;
    std::string text = !has_heading ? "" : is_csv ? csv_line(heading()) : tsv_line(heading());
    for (const Row& row : found_.rows) text += is_csv ? csv_line(cells(row)) : tsv_line(cells(row));
    return text;
  }

 private:
  Accumulator total(const Row& row) {
    Accumulator accumulator = found_.total(row);
    if (accumulator.count() == 0 && needs_elements(options_) && !(is_of_statistics_ && is_of_many_))
      throw DataError(fmt::format(
          "{}: {}has no elements, so there is no {}; give one that is not empty", found_.files[0],
          found_.column(row).empty() ? "" : fmt::format("column '{}' ", printable(found_.column(row))),
          is_of_statistics_ ? "mean" : options_.command));
    if (!is_of_many_ && !is_of_statistics_ && takes_ddof(options_.operation) &&
        accumulator.count() <= options_.ddof)
      fmt::print(stderr, "foldline: note: of {} elements there is no {} with ddof {}; it is nan\n",
                 accumulator.count(), options_.command, options_.ddof);
    return accumulator;
  }

  Result result(const Accumulator& accumulator, const Quantity& quantity) const {
    return {accumulator, quantity, found_, options_};
  }

  Json json_of(const Row& row) {
    Json json;
    if (found_.key_names.size() == 1) json["key"] = row.key;
    if (found_.key_names.size() > 1) json["keys"] = key_parts(row);
    if (found_.has_columns) json["column"] = found_.column(row);
    if (is_summary_) json["missing"] = found_.missing[row.column_number];
    add_results(json, total(row));
    return json;
  }

  void add_results(Json& json, const Accumulator& accumulator) const {
    for (const Quantity& quantity : quantities_) {
      if (is_of_statistics_ && !quantity.operation) continue;
      const Result value = result(accumulator, quantity);
      const auto put = [&](const char* form, const Json& content) {
        (is_of_statistics_ ? json[form][quantity.name] : json[form]) = content;
      };
      put("result", value.json());
      put("hex", value.hex());
      if (options_.format == NumberFormat::exact) put("exact", value.exact());
      if (value.overflows()) put("overflows", value.exact());
    }
    json["count"] = accumulator.count();
  }

  Json left_out() const {
    Json columns = Json::array();
    for (const LeftOut& column : found_.left_out)
      columns.push_back({{"column", column.name}, {"line", column.line}, {"problem", column.problem}});
    return columns;
  }

  /// A statistic on each line.
  std::string lines() {
    const Accumulator accumulator = total(found_.rows[0]);
    std::string lines;
    for (const Quantity& quantity : quantities_)
      lines += fmt::format("{:<9} {}\n", quantity.name, result(accumulator, quantity).text());
    return lines;
  }

  std::string as_table() {
    std::vector<Cells> table = {heading()};
    for (const Row& row : found_.rows) table.push_back(cells(row));
    return aligned(table, table[0].size() - quantities_.size() - (is_summary_ ? 1 : 0));
  }

  Cells heading() const {
    Cells cells;
    if (found_.key_names.size() == 1) cells.emplace_back("key");
    if (found_.key_names.size() > 1) cells = found_.key_names;
    if (found_.has_columns) cells.emplace_back("column");
    if (is_summary_) cells.emplace_back("missing");
    for (const Quantity& quantity : quantities_) cells.push_back(quantity.name);
    return cells;
  }

  Cells cells(const Row& row) {
    const Accumulator accumulator = total(row);
    Cells cells;
    if (found_.has_groups) cells = key_parts(row);
    if (found_.has_columns) cells.push_back(found_.column(row));
    if (is_summary_) cells.push_back(std::to_string(found_.missing[row.column_number]));
    for (const Quantity& quantity : quantities_) cells.push_back(result(accumulator, quantity).text());
    return cells;
  }

  const Found& found_;
  const Options& options_;
  std::vector<Quantity> quantities_;
  bool is_of_many_;  ///< groups or columns
  bool is_of_statistics_;
  bool is_summary_;  ///< of every column that holds numbers
};

std::string why(const LeftOut& column) {
  return fmt::format("column {} (\"{}\"): line {}: {}", column.number + 1, printable(column.name),
                     column.line, column.problem);
}

/// Says which columns a summary left out, if it has any.
void note_left_out(const Found& found) {
  if (found.left_out.empty()) return;
  if (found.rows.empty())
    throw DataError(fmt::format("{}: has no column of numbers; {}", found.files[0], why(found.left_out[0])));
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, found.left_out.size()); ++i)
    fmt::print(stderr, "foldline: note: {}: left out {}\n", found.left_out[i].file, why(found.left_out[i]));
  if (found.left_out.size() > most)
    fmt::print(stderr, "foldline: note: {} more columns are left out; --json names all\n",
               found.left_out.size() - most);
}

}  // namespace

std::string report(const Found& found, const Options& options) {
  note_left_out(found);
  Report report(found, options);
  return options.json ? report.json() : report.text();
}

}  // namespace foldline::cli
