// Exact matrix products on a device.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Writes C, for matrices in the device's memory, in order with what is in the stream. Returns when it is
/// done.
void exact_product(const MatrixProduct& product, const Plan& plan, Resources& resources, cudaStream_t stream);

}  // namespace foldline::cuda
