// Reductions of data in host memory.
#pragma once

#include "contract/backend.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Reduces vectors in host memory, piece by piece through pinned buffers: the next piece is copied while the
/// device reduces the last.
void reduce_host_data(const Reduction& reduction, int device, Moments& moments);

}  // namespace foldline::cuda
