// Measured figures against the performance targets.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "options.hpp"
#include "results.hpp"

namespace foldline::bench {

/// Measures what the figures need and nothing else; NumPy's part is left to add_python_peer.
void run_targets(const Options& options, Results& results);

/// The measured groups that have a figure beside NumPy.
std::vector<Case> numpy_groups(const Options& options, const Results& results);

/// Prints the figures with PASS or MISS.
void print_targets(const Options& options, const Results& results);
nlohmann::ordered_json targets_json(const Options& options, const Results& results);

}  // namespace foldline::bench
