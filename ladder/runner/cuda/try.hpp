// foldline-ladder-cuda try: a learner's own solution, verified and timed beside the rungs.
#pragma once

#include <vector>

#include "runner/problem.hpp"

namespace foldline::ladder {

/// For the command line that begins with "try". The exit status.
int try_on_gpu(int argc, char** argv, const std::vector<Problem>& problems);

}  // namespace foldline::ladder
