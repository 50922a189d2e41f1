#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "json_report.hpp"
#include "printable.hpp"
#include "result.hpp"
#include "result_type.hpp"
#include "table.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Whether an empty input has no result. (A table of statistics shows NaN for it.)
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
  Report(Found found, const Options& options)
      : found_(std::move(found)),
        options_(options),
        quantities_(quantities_of(options)),
        is_of_many_(found_.has_groups || found_.has_columns),
        is_of_statistics_(options.operation == Operation::statistics),
        is_summary_(found_.has_columns && summarises(options)) {}

  /// Throws every error that print() could meet, so that nothing is printed before an error.
  void check() const {
    for (const Row& row : found_.rows) {
      check_count(row);
      if (may_not_fit()) check_results(row);
    }
  }

  void print(const Write& write) const { options_.json ? print_json(write) : print_text(write); }

 private:
  void check_count(const Row& row) const {
    const std::int64_t count = found_.count(row);
    if (count == 0 && needs_elements(options_) && !(is_of_statistics_ && is_of_many_))
      throw DataError(fmt::format("{}has no elements, so there is no {}; give one that is not empty",
                                  place(row), is_of_statistics_ ? "mean" : options_.command));
    if (!is_of_many_ && !is_of_statistics_ && takes_ddof(options_.operation) && count <= options_.ddof)
      fmt::print(stderr, "foldline: note: of {} element{} there is no {} with ddof {}; it is nan\n", count,
                 count == 1 ? "" : "s", options_.command, options_.ddof);
  }

  /// Whether the type of the results may be too small for one.
  bool may_not_fit() const {
    return !options_.counts && !is_of_statistics_ &&
           !is_floating(result_type(options_.operation, found_.types, options_));
  }

  void check_results(const Row& row) const {
    try {
      const Accumulator accumulator = found_.total(row);
      for (const Quantity& quantity : quantities_) result(accumulator, quantity);
    } catch (const OverflowError& error) {
      throw Error(fmt::format("{}{}; give a floating-point --output-type, {}--format exact for all digits",
                              place(row), error.problem(),
                              error.can_wrap() ? "--overflow wrap, or " : "or "));
    } catch (const InvalidArgument& error) {
      const std::string problem = error.what();
      throw Error(place(row) + problem.substr(0, problem.find(';')) +
                  "; give a floating-point --output-type");
    }
  }

  /// The beginning of a message about a row, such as "sales.csv: group 'north', column 'price': ".
  std::string place(const Row& row) const {
    const std::size_t more = found_.files.size() - 1;
    std::string text = found_.files[0] + (more == 0 ? ": " : fmt::format(" and {} more: ", more));
    if (found_.has_groups) {
      text += "group ";
      for (const std::string& part : key_parts(row)) text += "'" + printable(part) + "', ";
    }
    if (!found_.column(row).empty()) text += "column '" + printable(found_.column(row)) + "', ";
    if (text.ends_with(", ")) text.replace(text.size() - 2, 2, ": ");
    return text;
  }

  void print_json(const Write& write) const {
    Json json;
    json["operation"] = options_.command;
    if (is_of_many_)
      json["results"] = Json::array();
    else
      add_results(json, found_.total(found_.rows[0]));
    if (is_summary_) json["left_out"] = left_out();
    add_provenance(json, found_, options_);
    const std::string text = dump(json);
    if (!is_of_many_ || found_.rows.empty()) return write(text);
    const std::string_view empty = "\"results\": [";
    const std::size_t place = text.find(empty) + empty.size();
    write(std::string_view(text).substr(0, place));
    for (const Row& row : found_.rows) {
      write(&row == found_.rows.data() ? "\n    " : ",\n    ");
      write(indented(json_of(row)));
    }
    write("\n  ");
    write(std::string_view(text).substr(place));
  }

  void print_text(const Write& write) const {
    const bool is_for_people = is_summary_ && !options_.text_options.each_column && !options_.output_format;
    const bool is_table = is_for_people || options_.output_format == OutputFormat::table;
    if (is_of_statistics_ && !is_of_many_ && (is_table || !options_.output_format)) return print_lines(write);
    if (is_table) return print_table(write);
    const bool has_heading = options_.output_format || is_of_statistics_;
    const auto line_of = options_.output_format == OutputFormat::csv ? csv_line : tsv_line;
    if (has_heading) write(line_of(heading()));
    for (const Row& row : found_.rows) write(line_of(cells(row)));
  }

  Result result(const Accumulator& accumulator, const Quantity& quantity) const {
    return {accumulator, quantity, found_, options_};
  }

  Json json_of(const Row& row) const {
    Json json;
    if (found_.key_names.size() == 1) json["key"] = row.key.text();
    if (found_.key_names.size() > 1) json["keys"] = key_parts(row);
    if (found_.has_columns) json["column"] = found_.column(row);
    if (is_summary_) json["missing"] = found_.missing[row.column_number];
    add_results(json, found_.total(row));
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

  /// Statistics of a single column, one on each line.
  void print_lines(const Write& write) const {
    const Accumulator accumulator = found_.total(found_.rows[0]);
    for (const Quantity& quantity : quantities_)
      write(fmt::format("{:<9} {}\n", quantity.name, result(accumulator, quantity).text()));
  }

  /// Formats each row twice, first to find the widths, so that no row is kept.
  void print_table(const Write& write) const {
    AlignedTable table(heading().size() - quantities_.size() - (is_summary_ ? 1 : 0));
    table.fit(heading());
    for (const Row& row : found_.rows) table.fit(cells(row));
    write(table.line(heading()));
    for (const Row& row : found_.rows) write(table.line(cells(row)));
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

  Cells cells(const Row& row) const {
    const Accumulator accumulator = found_.total(row);
    Cells cells;
    if (found_.has_groups) cells = key_parts(row);
    if (found_.has_columns) cells.push_back(found_.column(row));
    if (is_summary_) cells.push_back(std::to_string(found_.missing[row.column_number]));
    for (const Quantity& quantity : quantities_) cells.push_back(result(accumulator, quantity).text());
    return cells;
  }

  Found found_;
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

/// Notes on standard error which columns a summary leaves out. Throws DataError if it leaves out all.
void note_left_out(const Found& found) {
  if (found.left_out.empty()) return;
  if (found.rows.empty())
    throw DataError(fmt::format("{}: has no column of numbers; {}", found.files[0], why(found.left_out[0])));
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(most, found.left_out.size()); ++i)
    fmt::print(stderr, "foldline: note: {}: left out {}\n", escaped(found.left_out[i].file),
               escaped(why(found.left_out[i])));
  if (found.left_out.size() > most)
    fmt::print(stderr, "foldline: note: {} more columns are left out; --json names all\n",
               found.left_out.size() - most);
}

}  // namespace

Output report(Found found, const Options& options) {
  note_left_out(found);
  const auto report = std::make_shared<const Report>(std::move(found), options);
  report->check();
  return Output([report](const Write& write) { report->print(write); });
}

}  // namespace foldline::cli
