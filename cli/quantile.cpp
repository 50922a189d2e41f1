#include "quantile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "array_output.hpp"
#include "json_report.hpp"
#include "load_values.hpp"
#include "numbers.hpp"
#include "table.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;
__extension__ typedef unsigned __int128 Wide;

constexpr std::size_t most_decimals = 18;  // 10^18 is less than 2^60
constexpr Context one_thread = {.execution = {.threads = 1}};

Accumulator single(const Scalar& number) {
  Accumulator result(Operation::minimum);
  number.visit([&](auto value) { result.add(std::array{value}, one_thread); });
  return result;
}

/// (low * (denominator - rest) + high * rest) / denominator, all of it exact.
Accumulator between(const Scalar& low, const Scalar& high, std::uint64_t rest, std::uint64_t denominator) {
  Accumulator result(Operation::weighted_mean);
  const auto add = [&](const Scalar& number, std::uint64_t weight) {
    number.visit([&](auto value) { result.add(std::array{value}, std::array{weight}, one_thread); });
  };
  add(low, denominator - rest);
  add(high, rest);
  return result;
}

/// A column and its quantiles.
class Column {
 public:
  Column(std::string name, Values& values, const Options& options, const std::string& file)
      : name_(std::move(name)), has_nan_(values.nans() > 0 && !options.skip_nan) {
    count_ = values.size() + (options.skip_nan ? 0 : values.nans());
    if (count_ == 0)
      throw DataError(fmt::format(
          "{}: {}has no elements, so there is no {}; give one that is not empty", file,
          name_.empty() ? "" : fmt::format("column '{}' ", without_controls(name_)), options.command));
    for (const Fraction& q : options.fractions)
      results_.push_back(has_nan_ ? single(Scalar(std::numeric_limits<double>::quiet_NaN()))
                                  : quantile_of(values, q));
  }

  const std::string& name() const { return name_; }
  std::int64_t count() const { return count_; }
  Scalar value(std::size_t i) const {
    return results_[i].rounded(results_[i].operation(), ElementType::float64);
  }
  std::string exact(std::size_t i) const { return results_[i].exact(results_[i].operation()); }
  std::string text(std::size_t i, NumberFormat format) const {
    if (format == NumberFormat::exact) return exact(i);
    return format == NumberFormat::hex ? hexadecimal(value(i)) : shortest(value(i));
  }

 private:
  std::string name_;
  bool has_nan_;
  std::int64_t count_;
  std::vector<Accumulator> results_;
};

class QuantileReport {
 public:
  QuantileReport(const LoadedValues& loaded, const std::vector<Column>& columns, const Options& options)
      : loaded_(loaded),
        columns_(columns),
        options_(options),
        has_names_(columns.size() > 1),
        is_median_(options.command == "median") {}

  /// A bare number; a line for each quantile; with several columns a line for each of these.
  std::string text() const {
    const std::vector<Cells> lines = cells();
    if (options_.output_format == OutputFormat::table) return aligned(lines, 1);
    const bool is_csv = options_.output_format == OutputFormat::csv;
    // As in other reports, a heading is printed if a format is given, or if there are several values a line.
    const bool has_heading = options_.output_format || (has_names_ && options_.fractions.size() > 1);
    std::string text;
    for (std::size_t i = has_heading ? 0 : 1; i < lines.size(); ++i)
      text += is_csv ? csv_line(lines[i]) : tsv_line(lines[i]);
    return text;
  }

  std::string json() const {
    Json json;
    json["operation"] = options_.command;
    if (!has_names_ && options_.fractions.size() == 1) {
      add(json, columns_[0], 0);
      json["count"] = columns_[0].count();
    } else {
      json["results"] = Json::array();
      for (const Column& column : columns_)
        for (std::size_t i = 0; i < options_.fractions.size(); ++i) {
          Json one;
          if (has_names_) one["column"] = column.name();
          add(one, column, i);
          one["count"] = column.count();
          json["results"].push_back(one);
        }
    }
    add_provenance(json, loaded_.found, options_);
    json["output_type"] = name_of(ElementType::float64);
    return dump(json);
  }

 private:
  /// The lines of the table; the first one is the heading.
  std::vector<Cells> cells() const {
    std::vector<Cells> lines;
    const std::size_t count = options_.fractions.size();
    if (has_names_) {
      lines.push_back({"column"});
      for (const Fraction& q : options_.fractions) lines[0].push_back(is_median_ ? "median" : q.text);
      for (const Column& column : columns_) {
        lines.push_back({column.name()});
        for (std::size_t i = 0; i < count; ++i) lines.back().push_back(column.text(i, options_.format));
      }
      return lines;
    }
    const bool is_single = count == 1 && !options_.output_format;
    lines.push_back(is_median_ ? Cells{"median"} : Cells{"q", "quantile"});
    for (std::size_t i = 0; i < count; ++i) {
      const std::string value = columns_[0].text(i, options_.format);
      lines.push_back(is_median_ || is_single ? Cells{value} : Cells{options_.fractions[i].text, value});
    }
    return lines;
  }

  void add(Json& json, const Column& column, std::size_t i) const {
    if (!is_median_) json["q"] = *number_of(options_.fractions[i].text);
    json["result"] = as_json(column.value(i));
    json["hex"] = hexadecimal(column.value(i));
    if (options_.format == NumberFormat::exact) json["exact"] = column.exact(i);
  }

  const LoadedValues& loaded_;
  const std::vector<Column>& columns_;
  const Options& options_;
  bool has_names_, is_median_;
};

}  // namespace

std::optional<Fraction> fraction_of(const std::string& text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string whole = text.substr(0, point), decimals = text.substr(std::min(point + 1, text.size()));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (whole.size() + decimals.size() == 0 || whole.size() > 1 || decimals.size() > most_decimals ||
      !std::ranges::all_of(whole + decimals, is_digit))
    return std::nullopt;
  Fraction fraction{text, 0, 1};
  for (const char digit : whole + decimals)
    fraction.numerator = 10 * fraction.numerator + static_cast<std::uint64_t>(digit - '0');
  for (std::size_t i = 0; i < decimals.size(); ++i) fraction.denominator *= 10;
  if (fraction.numerator > fraction.denominator) return std::nullopt;
  return fraction;
}

Accumulator quantile_of(Values& values, const Fraction& q) {
  const Wide place = Wide{static_cast<std::uint64_t>(values.size() - 1)} * q.numerator;
  const auto below = static_cast<std::ptrdiff_t>(place / q.denominator);
  const auto rest = static_cast<std::uint64_t>(place % q.denominator);
  std::vector<std::int64_t>& keys = values.keys();
  std::ranges::nth_element(keys, keys.begin() + below);
  const std::int64_t low = keys[static_cast<std::size_t>(below)];
  if (rest == 0) return single(values.number(low));
  const std::int64_t high = *std::min_element(keys.begin() + below + 1, keys.end());
  // Also for infinities, whose weighted mean would be NaN.
  if (high == low) return single(values.number(low));
  return between(values.number(low), values.number(high), rest, q.denominator);
}

std::string quantiles(const Options& options, const std::function<void(const std::string&)>& explain) {
  LoadedValues loaded = load_values(options, explain);
  std::vector<Column> columns;
  columns.reserve(loaded.columns.size());
  for (std::size_t i = 0; i < loaded.columns.size(); ++i)
    columns.emplace_back(loaded.names.size() > 1 ? loaded.names[i] : "", loaded.columns[i], options,
                         loaded.found.files[0]);
  const QuantileReport report(loaded, columns, options);
  return options.json ? report.json() : report.text();
}

}  // namespace foldline::cli
