// The mistakes and their correction, as rungs that sum ints.
#pragma once

#include <vector>

#include "reduce/rungs.hpp"

namespace foldline::ladder::barrier {

const std::vector<reduce::Rung>& rungs();

}  // namespace foldline::ladder::barrier
