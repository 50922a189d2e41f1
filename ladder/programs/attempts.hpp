// What `new` and `try` ask about problems.
#pragma once

#include <string>
#include <vector>

#include "runner/problem.hpp"
#include "runner/report.hpp"

namespace foldline::ladder {

/// Throws BadParam, also for a problem that is no single task, with those that are.
const Problem& problem_to_solve(const std::vector<Problem>& problems, const std::string& name);

/// Where the learner's line belongs among the steps: in front of the first kernel with a lower bound of time
/// that is less than its own; what the bound is, docs/ladder.md says. Its place, or none if it did not run.
struct Place {
  int number = 0, of = 0;      ///< among the kernels that ran
  std::string behind, before;  ///< empty at the ends
};
std::optional<Place> put_in_place(Report& report, int multiprocessors);

}  // namespace foldline::ladder
