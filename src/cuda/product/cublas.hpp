// cuBLAS, loaded at run time if it is installed, so that the library does not depend on it.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"

namespace foldline::cuda {

/// A cuBLAS handle for the current device; null if there is no cuBLAS, or FOLDLINE_CUBLAS is "off".
void* new_cublas_handle();
void destroy_cublas_handle(void* handle);

/// True if cuBLAS accepts the layout of the matrices.
bool suits_cublas(const MatrixProduct& product);

/// C = alpha A B + beta C in working precision, for matrices in device memory whose layout cuBLAS accepts.
void product_by_cublas(const MatrixProduct& product, void* handle, cudaStream_t stream);

}  // namespace foldline::cuda
