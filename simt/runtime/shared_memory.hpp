// The shared memory of the block that runs: the variables of the kernel's image, and the dynamic block.
#pragma once

#include "runtime/checks.hpp"

namespace simt {

/// For a launch.
void prepare_shared(Machine& machine);

}  // namespace simt
