/// @file
/// Calls of the CUDA runtime for the templates: errors as exceptions, memory and the current device that are
/// given back on every path.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "foldline/error.hpp"

namespace foldline::detail::device {

/// Throws a DeviceError that says what was being done, if it failed.
inline void check(cudaError_t error, std::string_view doing) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError("CUDA: " + std::string(doing) + " failed: " + cudaGetErrorString(error));
}

/// Not by <<<>>>: that leaves its error where one of the caller's may be already.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), std::int64_t blocks, int block_threads, cudaStream_t stream,
            Parameters... arguments) {
  void* addresses[] = {static_cast<void*>(&arguments)...};
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                         dim3(static_cast<unsigned>(block_threads)), addresses, 0, stream),
        "starting a kernel");
}

/// `size` elements in the memory of the current device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t size) {
    void* data = nullptr;
    if (size > 0) check(cudaMalloc(&data, static_cast<std::size_t>(size) * sizeof(T)), "allocating memory");
    data_ = static_cast<T*>(data);
  }
  ~DeviceArray() { cudaFree(data_); }  // waits until nobody uses it
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }

 private:
  T* data_;
};

/// Makes a device the thread's current one; the one before is current again at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    check(cudaGetDevice(&before_), "asking for the current device");
    if (device != before_) check(cudaSetDevice(device), "choosing the device");
    changed_ = device != before_;
  }
  ~CurrentDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

}  // namespace foldline::detail::device
