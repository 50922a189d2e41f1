// The rungs of this problem.
#pragma once

#include <vector>

#include "column-sums/bench.hpp"
#include "runner/problem.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder::column_sums {

using Rung = RungOf<Bench>;

/// From the first attempt to the library, followed by the comparisons.
const std::vector<Rung>& rungs();

/// A learner's solve(): matrix, rows, columns, sums.
using SolveColumns = Solution<const double*, int, int, double*>;

}  // namespace foldline::ladder::column_sums
