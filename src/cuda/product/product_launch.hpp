// The kernels of matrix products, as plain functions.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Whether product_by_tensor_cores takes a product: doubles, each matrix with a stride of 1, on a device that
/// multiplies doubles in its tensor cores (compute capability 8.0).
bool suits_tensor_cores(const MatrixProduct& product, int device);

/// C = alpha A B + beta C in working precision, for matrices in the device's memory. Until it is done nothing
/// else may use the resources' memory for products.
void product_by_tensor_cores(const MatrixProduct& product, Resources& resources, cudaStream_t stream);

/// The same of any strides and of both types, on any device.
void product_by_threads(const MatrixProduct& product, cudaStream_t stream);

}  // namespace foldline::cuda
