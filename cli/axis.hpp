// --axis: an array of results.
#pragma once

#include <functional>
#include <string>

#include "options.hpp"

namespace foldline::cli {

/// Reduces an array along an axis and returns what goes to standard output: nothing if the results go to a
/// file and no JSON is asked for. `explain` is called before the array is read. Throws UsageError for an axis
/// that does not exist, DataError, Error.
std::string reduce_along_axis(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
