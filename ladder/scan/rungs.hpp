// The rungs of this problem.
#pragma once

#include <vector>

#include "runner/problem.hpp"
#include "runner/solution.hpp"
#include "scan/bench.hpp"

namespace foldline::ladder::scan {

using Rung = RungOf<Bench>;

/// From the first attempt to the library, followed by the comparisons.
const std::vector<Rung>& rungs();

/// A learner's solve(): x, n, the sums.
using SolveScan = Solution<const int*, int, int*>;

}  // namespace foldline::ladder::scan
