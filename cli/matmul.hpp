// `foldline matmul`: the product of two matrices, into a file.
#pragma once

#include <functional>
#include <string>

#include "options.hpp"

namespace foldline::cli {

/// Writes the product, with both factors in memory, and returns what goes to standard output: nothing, or one
/// JSON object. `explain` is called before anything is computed. Throws UsageError, DataError, Error; then
/// there is no output file, or the old one.
std::string multiply_files(const Options& options, const std::function<void(const std::string&)>& explain);

}  // namespace foldline::cli
