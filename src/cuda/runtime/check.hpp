// Errors of the CUDA runtime as exceptions, and the device that is current for a while.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "foldline/error.hpp"

namespace foldline::cuda {

/// Throws a DeviceError that says what was being done, if it failed.
inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not find it; an error that destroyed the context stays
  std::string message = std::string("CUDA: ") + doing + " failed: " + cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) message += "; free some of the device's memory, or give parts";
  throw DeviceError(message);
}

/// Makes a device the thread's current one; the one before is current again at the end.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) {
    check(cudaGetDevice(&before_), "asking for the current device");
    if (device != before_) check(cudaSetDevice(device), "choosing the device");
    changed_ = device != before_;
  }
  ~DeviceGuard() {
    if (changed_) cudaSetDevice(before_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace foldline::cuda
