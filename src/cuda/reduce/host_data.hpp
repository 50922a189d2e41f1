// Data of the host on its way to a device.
#pragma once

#include "contract/backend.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Reduces vectors in the host's memory: piece by piece through pinned buffers, the next one copied while the
/// device works.
void reduce_host_data(const Reduction& reduction, int device, Moments& moments);

}  // namespace foldline::cuda
