// CUDA errors as exceptions, and a guard for the current device.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "foldline/error.hpp"

namespace foldline::cuda {

/// Throws a DeviceError that names the failed action.
inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // resets the error for the next call; errors that destroyed the context remain
  std::string message = std::string("CUDA: ") + doing + " failed: " + cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) message += "; free some of the device's memory, or give parts";
  throw DeviceError(message);
}

/// Sets the thread's current device, and restores the previous one at the end.
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
