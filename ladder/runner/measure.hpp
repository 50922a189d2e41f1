// Runs a rung: verifies, takes times, verifies again.
#pragma once

#include "runner/outcome.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder {

/// `rounds`: how often each of the three times is taken at least, 1 or more. `on_gpu`: RungInfo::on_gpu.
Outcome measure(Workbench& bench, bool on_gpu, int rounds);

}  // namespace foldline::ladder
