#include "suggest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace foldline::cli {
namespace {

/// What other programs call a command, an option or a type, and its name here.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    {"average", "mean"},
    {"avg", "mean"},
    {"stdev", "std"},
    {"stddev", "std"},
    {"sd", "std"},
    {"deviation", "std"},
    {"var", "variance"},
    {"stderr", "standard-error"},
    {"sem", "standard-error"},
    {"summary", "stats"},
    {"summarise", "stats"},
    {"summarize", "stats"},
    {"describe", "stats"},
    {"statistics", "stats"},
    {"total", "sum"},
    {"minimum", "min"},
    {"maximum", "max"},
    {"length", "count"},
    {"len", "count"},
    {"size", "count"},
    {"percentile", "quantile"},
    {"percentiles", "quantile"},
    {"quartiles", "quantile"},
    {"cumsum", "scan"},
    {"hist", "histogram"},
    {"integral", "integrate"},
    {"quad", "integrate"},
    {"trapz", "trapezoid"},
    {"inner", "dot"},
    {"version", "--version"},
    {"-v", "--version"},
    {"-V", "--version"},
    {"-c", "--column"},
    {"-f", "--column"},
    {"--col", "--column"},
    {"--field", "--column"},
    {"-g", "--by"},
    {"--key", "--by"},
    {"--group", "--by"},
    {"--group-by", "--by"},
    {"--groupby", "--by"},
    {"-d", "--separator"},
    {"-t", "--separator"},
    {"--sep", "--separator"},
    {"--delim", "--separator"},
    {"--delimiter", "--separator"},
    {"--na", "--missing"},
    {"--na-values", "--missing"},
    {"--dropna", "--skip-missing"},
    {"--skipna", "--skip-missing"},
    {"--skiprows", "--skip-lines"},
    {"--skip", "--skip-lines"},
    {"--type", "--input-type"},
    {"--dtype", "--input-type"},
    {"-q", "--q"},
    {"--quantile", "--q"},
    {"--quantiles", "--q"},
    {"-j", "--threads"},
    {"double", "float64"},
    {"float", "float32"},
    {"single", "float32"},
    {"half", "float16"},
    {"long", "int64"},
};

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Row i holds the distances between the first i letters of a and every beginning of b.
  std::vector<std::size_t> two_before(b.size() + 1), before(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two_before, before);
    std::swap(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, before[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::size_t nearest = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string_view found;
  const auto compare = [&](std::string_view name, std::string_view candidate) {
    const std::size_t distance = edit_distance(word, name);
    // A word that shares no letter is no suggestion: "x" is one change away from "-".
    if (distance >= nearest || distance >= std::max(word.size(), name.size())) return;
    // All options of one letter are a change away from each other.
    if (distance != 0 && word.size() == 2 && word.starts_with('-')) return;
    nearest = distance;
    found = candidate;
  };
  for (const std::string& candidate : candidates) compare(candidate, candidate);
  for (const auto& [synonym, name] : synonyms)
    if (std::ranges::find(candidates, name) != candidates.end()) compare(synonym, name);
  return found.empty() ? "" : "; did you mean '" + std::string(found) + "'?";
}

}  // namespace foldline::cli
