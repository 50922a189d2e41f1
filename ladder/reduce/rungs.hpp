// The rungs of this problem.
#pragma once

#include <vector>

#include "reduce/bench.hpp"
#include "runner/problem.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder::reduce {

using Rung = RungOf<Bench>;

/// From the first attempt to the library, followed by the comparisons.
const std::vector<Rung>& rungs();

/// A learner's solve(): x, n, the sum.
using SolveSum = Solution<int*, int, int*>;

}  // namespace foldline::ladder::reduce
