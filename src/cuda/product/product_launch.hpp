// Launch functions of the fast matrix product kernels.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// True if product_by_tensor_cores can compute a product: doubles, a stride of 1 in each matrix, and a device
/// with double-precision tensor cores (compute capability 8.0).
bool suits_tensor_cores(const MatrixProduct& product, int device);

/// C = alpha A B + beta C in working precision, for matrices in device memory. Nothing else may use the
/// resources' product memory until it is done.
void product_by_tensor_cores(const MatrixProduct& product, Resources& resources, cudaStream_t stream);

/// The same for any strides and both types, on any device.
void product_by_threads(const MatrixProduct& product, cudaStream_t stream);

}  // namespace foldline::cuda
