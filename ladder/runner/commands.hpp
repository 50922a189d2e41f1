// The program for a list of problems.
#pragma once

#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder {

/// The exit status. 0: all that ran was right; 1: something was wrong or cannot run here; 2: invalid command
/// line.
int run_program(int argc, char** argv, const std::vector<Problem>& problems);

}  // namespace foldline::ladder
