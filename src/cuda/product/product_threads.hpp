// Fast matrix products where cuBLAS is missing, or does not take the layout.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"

namespace foldline::cuda {

/// C = alpha A B + beta C in working precision, for matrices of any strides in device memory, on any device.
void product_by_threads(const MatrixProduct& product, cudaStream_t stream);

}  // namespace foldline::cuda
