// The program, given its problems.
#pragma once

#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder {

/// The exit status. 0: all that ran was right; 1: something was not, or cannot run here; 2: the command line
/// makes no sense.
int run_program(int argc, char** argv, const std::vector<Problem>& problems);

}  // namespace foldline::ladder
