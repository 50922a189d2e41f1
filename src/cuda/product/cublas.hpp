// cuBLAS, if the machine has it: found at run time, so that the library needs none.
#pragma once

#include <cuda_runtime_api.h>

#include "contract/backend.hpp"

namespace foldline::cuda {

/// A handle of cuBLAS for the current device; null if there is no cuBLAS, or FOLDLINE_CUBLAS is "off".
void* new_cublas_handle();
void destroy_cublas_handle(void* handle);

/// Whether cuBLAS takes the matrices as they lie.
bool suits_cublas(const MatrixProduct& product);

/// C = alpha A B + beta C in working precision, for matrices in the device's memory that suit cuBLAS.
void product_by_cublas(const MatrixProduct& product, void* handle, cudaStream_t stream);

}  // namespace foldline::cuda
