// The mistake and its cure, as rungs of the sum of ints.
#pragma once

#include <vector>

#include "reduce/rungs.hpp"

namespace foldline::ladder::barrier {

const std::vector<reduce::Rung>& rungs();

}  // namespace foldline::ladder::barrier
