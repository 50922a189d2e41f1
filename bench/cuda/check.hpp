// Errors of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace foldline::bench::cuda {

inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not find it
  throw std::runtime_error(std::string(doing) + ": " + cudaGetErrorString(error));
}

}  // namespace foldline::bench::cuda
