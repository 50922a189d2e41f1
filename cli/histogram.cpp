#include "histogram.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "json_report.hpp"
#include "load_values.hpp"
#include "numbers.hpp"
#include "table.hpp"

namespace foldline::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The two ends of a histogram and how they are divided.
class Range {
 public:
  Range(const Scalar& low, const Scalar& high, std::int64_t bins) : low_(low), high_(high), bins_(bins) {}

  /// A weighted mean with integers for weights is exact until it is rounded.
  double edge(std::int64_t i) const {
    Accumulator mean(Operation::weighted_mean);
    if (low_ == high_) {  // low - 1/2 + i / bins
      add(mean, low_, 2 * bins_);
      add(mean, Scalar(1.0), 2 * i - bins_);
      add(mean, Scalar(0.0), bins_ - 2 * i);
    } else {
      add(mean, low_, bins_ - i);
      add(mean, high_, i);
    }
    return mean.result();
  }

 private:
  static void add(Accumulator& mean, const Scalar& number, std::int64_t weight) {
    number.visit(
        [&](auto value) { mean.add(std::array{value}, std::array{weight}, {.execution = {.threads = 1}}); });
  }

  Scalar low_, high_;
  std::int64_t bins_;
};

/// The key of the smallest number of that kind that is not below the edge; none if all are.
std::optional<std::int64_t> first_key_from(double edge, Values::Kind kind) {
  if (kind == Values::Kind::float64) return key_of(edge == 0 ? -0.0 : edge);  // -0 is not below 0
  const double whole = std::ceil(edge);
  if (kind == Values::Kind::int64) {
    if (whole >= 0x1p63) return std::nullopt;
    return whole < -0x1p63 ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(whole);
  }
  if (whole >= 0x1p64) return std::nullopt;
  return key_of(whole <= 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(whole));
}

/// The key of the smallest number of that kind that is above the edge; none if there is none.
std::optional<std::int64_t> first_key_above(double edge, Values::Kind kind) {
  if (kind == Values::Kind::float64) return key_of(edge == 0 ? 0.0 : edge) + 1;
  const double whole = std::floor(edge), lowest = kind == Values::Kind::int64 ? -0x1p63 : 0;
  const std::optional<std::int64_t> key = first_key_from(whole, kind);
  if (!key || whole < lowest) return key;
  return *key == std::numeric_limits<std::int64_t>::max() ? std::nullopt : std::optional(*key + 1);
}

class Counter {
 public:
  Counter(Histogram& histogram, Values::Kind kind) : histogram_(histogram) {
    for (std::size_t i = 1; i + 1 < histogram.edges.size(); ++i) {
      const std::optional<std::int64_t> key = first_key_from(histogram.edges[i], kind);
      if (!key) break;  // no number of this kind reaches the edge
      inner_edges_.push_back(*key);
    }
  }

  void add(std::int64_t key) {
    const auto bin = std::ranges::upper_bound(inner_edges_, key) - inner_edges_.begin();
    ++histogram_.counts[static_cast<std::size_t>(bin)];
  }

 private:
  Histogram& histogram_;
  std::vector<std::int64_t> inner_edges_;
};

/// A line for each bin.
std::string lines(const Histogram& histogram, const Options& options) {
  const auto text = [&](double number) {
    return options.format == NumberFormat::hex ? hexadecimal(Scalar(number)) : shortest(Scalar(number));
  };
  std::vector<Cells> table = {{"from", "to", "count"}};
  for (std::size_t i = 0; i < histogram.counts.size(); ++i)
    table.push_back(
        {text(histogram.edges[i]), text(histogram.edges[i + 1]), fmt::format("{}", histogram.counts[i])});
  if (options.output_format == OutputFormat::table) return aligned(table, 0);
  std::string all;
  for (const Cells& cells : table)
    all += options.output_format == OutputFormat::csv ? csv_line(cells) : tsv_line(cells);
  return all;
}

void refuse_what_has_no_place(const Values& values, const std::string& file, const Options& options) {
  if (values.nans() > 0 && !options.skip_nan)
    throw DataError(
        fmt::format("{}: {} of the numbers are NaN, which is in no bin; give --skip-nan to leave them out",
                    file, values.nans()));
  if (values.size() == 0)
    throw DataError(file + ": has no elements, so there is no histogram; give one that is not empty");
  if (options.histogram.range) return;
  const auto [low, high] = std::ranges::minmax(values.keys());
  for (const std::int64_t key : {low, high})
    if (const Scalar number = values.number(key); !std::isfinite(number.to_double()))
      throw DataError(
          fmt::format("{}: has {}, so its bins would be infinite; give --range A,B", file, shortest(number)));
}

}  // namespace

Histogram histogram_of(const Values& values, const HistogramOptions& options) {
  const auto extrema = std::ranges::minmax(values.keys());
  const Range range = options.range
                          ? Range(Scalar(options.range->first), Scalar(options.range->second), options.bins)
                          : Range(values.number(extrema.min), values.number(extrema.max), options.bins);
  Histogram histogram;
  histogram.counts.resize(static_cast<std::size_t>(options.bins));
  for (std::int64_t i = 0; i <= options.bins; ++i) histogram.edges.push_back(range.edge(i));
  Counter counter(histogram, values.kind());
  if (!options.range) {  // all are within it, though a last edge that was rounded may look smaller
    for (const std::int64_t key : values.keys()) counter.add(key);
    return histogram;
  }
  const auto from = first_key_from(histogram.edges.front(), values.kind());
  const auto above = first_key_above(histogram.edges.back(), values.kind());
  for (const std::int64_t key : values.keys()) {
    if (!from || key < *from)
      ++histogram.below;
    else if (above && key >= *above)
      ++histogram.above;
    else
      counter.add(key);
  }
  return histogram;
}

std::string histogram(const Options& options, const std::function<void(const std::string&)>& explain) {
  const LoadedValues loaded = load_values(options, explain);
  const Values& values = loaded.columns[0];
  if (loaded.columns.size() > 1)
    throw UsageError(loaded.found.files[0] + ": has more than one column; name one with --column");
  refuse_what_has_no_place(values, loaded.found.files[0], options);
  const Histogram histogram = histogram_of(values, options.histogram);
  if (!options.json) return lines(histogram, options);
  Json json;
  json["operation"] = options.command;
  json["edges"] = histogram.edges;
  json["counts"] = histogram.counts;
  json["below"] = histogram.below;
  json["above"] = histogram.above;
  json["count"] = values.size();
  add_provenance(json, loaded.found, options);
  json["output_type"] = name_of(ElementType::int64);
  return dump(json);
}

}  // namespace foldline::cli
