// `foldline histogram`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "values.hpp"

namespace foldline::cli {

struct Histogram {
  std::vector<double> edges;          ///< one more than bins
  std::vector<std::int64_t> counts;   ///< edges[i] <= x < edges[i + 1], in the last bin also its upper edge
  std::int64_t below = 0, above = 0;  ///< numbers outside of the range
};

/// Edges are a + i (b - a) / bins, rounded once each, from a to b: the range, or the smallest and the largest
/// number; if these are equal, from 1/2 below to 1/2 above. There must be a number, and the range be finite.
Histogram histogram_of(const Values& values, const HistogramOptions& options);

/// What the command prints.
std::string histogram(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
