// Runs a rung: verifies, measures, verifies again.
#pragma once

#include "runner/outcome.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder {

/// `rounds`: the least number of measurements of each of the three times, at least 1. `on_gpu`:
/// RungInfo::on_gpu.
Outcome measure(Workbench& bench, bool on_gpu, int rounds);

}  // namespace foldline::ladder
