// The figures that foldline promises, against what is required.
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

/// Measures what the figures need and nothing else.
void run_targets(const Options& options, Results& results);

/// Prints the figures with PASS or MISS.
void print_targets(const Options& options, const Results& results);
nlohmann::ordered_json targets_json(const Options& options, const Results& results);

}  // namespace foldline::bench
