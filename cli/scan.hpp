// `foldline scan`: all prefix sums of a file, into a file.
#pragma once

#include <functional>
#include <string>

#include "options.hpp"

namespace foldline::cli {

/// Writes the prefix sums in constant memory (with an axis: in the memory for what lies along it) and returns
/// what goes to standard output: nothing, or one JSON object. `explain` is called before anything is read.
/// Throws UsageError, DataError, Error; then there is no output file, or the old one.
std::string scan_file(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
