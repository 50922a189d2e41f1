// foldline-bench --grid: operations, types, shapes and axes, beside the peers of arrays.
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"

namespace foldline::bench {

/// Measures all cells, foldline and its peers in turns, prints them, the worst first, and adds them to
/// `json`.
void run_grid(const Options& options, nlohmann::ordered_json& json);

}  // namespace foldline::bench
