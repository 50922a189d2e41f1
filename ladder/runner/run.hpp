// Problems and rungs by their names, and a problem's rungs run, each in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "runner/child.hpp"
#include "runner/options.hpp"
#include "runner/problem.hpp"
#include "runner/report.hpp"

namespace foldline::ladder {

/// Throw BadParam, with what there is instead.
const Problem& find_problem(const std::vector<Problem>& problems, const std::string& name);
const RungInfo& find_rung(const Problem& problem, const std::string& name);

/// "a, b, c"
std::string names_of(const std::vector<RungInfo>& rungs);

/// Throws BadParam for an option that the problem does not take.
void refuse_what_is_not_taken(const Problem& problem, const Params& params);

/// All rungs that the options name, or all.
Report run_instance(const Problem& problem, const Instance& instance, const Options& options);

/// One, in this process; what a process of its own has come to.
Outcome run_here(const Problem& problem, const Instance& instance, std::size_t rung, const Options& options);
Outcome outcome_of(const ChildResult& result);

}  // namespace foldline::ladder
