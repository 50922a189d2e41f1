// The options of `foldline trapezoid` and `foldline simpson`.
#pragma once

#include "command_line.hpp"

namespace foldline::cli {

void add_samples(CLI::App& app, Parsed& parsed);

/// Refuses, with a UsageError, options that do not go together.
void check_samples(const Options& options);

}  // namespace foldline::cli
