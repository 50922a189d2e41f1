// Instructions of PTX that kernels write in asm statements.
#pragma once

#include "runtime/state.hpp"

namespace simt {

/// Completes an instruction for matrices that all lanes of a warp have come to.
void multiply_matrices(Lane* lanes);

}  // namespace simt
