// `foldline integrate`: the integral of a formula.
#pragma once

#include <functional>
#include <string>

#include "options.hpp"
#include "output.hpp"

namespace foldline::cli {

/// What goes to standard output. `explain` is called with a sentence on how the result came about. Throws
/// UsageError for a formula that cannot be understood, and Error for an integral that was not found; but
/// with --json the output says so, and that the command failed.
Output integrate_formula(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
