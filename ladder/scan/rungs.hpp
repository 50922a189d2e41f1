// The ladder of this problem.
#pragma once

#include <vector>

#include "runner/problem.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

using Rung = RungOf<Bench>;

/// From the first attempt to the library, then the lines beside the ladder.
const std::vector<Rung>& rungs();

}  // namespace foldline::ladder::scan
