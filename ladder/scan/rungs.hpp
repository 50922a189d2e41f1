// The rungs of this problem.
#pragma once

#include <vector>

#include "runner/problem.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

using Rung = RungOf<Bench>;

/// From the first attempt to the library, followed by the comparisons.
const std::vector<Rung>& rungs();

}  // namespace foldline::ladder::scan
