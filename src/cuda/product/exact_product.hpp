// Exact matrix products on a device.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Computes C for matrices in device memory, in stream order. Returns when C is complete.
void exact_product(const MatrixProduct& product, const Plan& plan, Resources& resources, cudaStream_t stream);

}  // namespace foldline::cuda
