// The options of `foldline median`, `quantile` and `histogram`.
#pragma once

#include "command_line.hpp"

namespace foldline::cli {

void add_order_statistics(CLI::App& app, Parsed& parsed);

/// Quartiles and extremes, if `quantile` was given nothing else.
void set_default_fractions(Options& options);
/// Refuses, with a UsageError, options that do not go together.
void check_order_statistics(const Options& options);

}  // namespace foldline::cli
