// `foldline median` and `foldline quantile`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "options.hpp"
#include "values.hpp"

namespace foldline::cli {

/// The fraction that a decimal from 0 to 1 is, exactly, if it has 18 decimals at most.
std::optional<Fraction> fraction_of(const std::string& text);

/// The number at `q` of the way from the smallest to the largest of n numbers, one at least: with h = q (n -
/// 1) the one at place h, counted from 0, or, between two, what lies at h on the straight line through them.
/// As an accumulator of one number or for a weighted mean of two, which holds it exactly. Reorders the
/// values.
Accumulator quantile_of(Values& values, const Fraction& q);

/// What the command prints.
std::string quantiles(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
