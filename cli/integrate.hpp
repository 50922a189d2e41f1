// `foldline integrate`: the integral of a formula.
#pragma once

#include <functional>
#include <string>

#include "options.hpp"

namespace foldline::cli {

/// What goes to standard output. `explain` is called with a sentence on how the result came about. Throws
/// UsageError for a formula that cannot be understood, Error for an integral that cannot be found.
std::string integrate_formula(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
