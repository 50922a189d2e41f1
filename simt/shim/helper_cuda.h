// The checks of errors that CUDA's samples share: what fails is told, and ends the program.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#define checkCudaErrors(call) simt::check_call((call), #call, __FILE__, __LINE__)
#define getLastCudaError(what) simt::check_call(cudaGetLastError(), what, __FILE__, __LINE__)

namespace simt {
inline void check_call(cudaError_t error, const std::string& what, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%d: %s (%s): %s\n", file, line, cudaGetErrorName(error), cudaGetErrorString(error),
               what.c_str());
  std::exit(EXIT_FAILURE);
}
}  // namespace simt

/// There is one device, and no option of the command line chooses another.
inline int findCudaDevice(int, const char**) {
  checkCudaErrors(cudaSetDevice(0));
  return 0;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
