// Memory of a device for tests.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace cuda_test {

inline void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

/// Sets bytes of the device's memory, and waits, as other streams would not.
inline void set_bytes(void* first, int value, std::size_t count) {
  check(cudaMemset(first, value, count));
  check(cudaStreamSynchronize(cudaStreamLegacy));
}

/// `size` elements in the memory of the current device.
template <class T>
class DeviceMemory {
 public:
  explicit DeviceMemory(std::int64_t size) {
    check(cudaMalloc(&data_, static_cast<std::size_t>(size) * sizeof(T)));
  }
  explicit DeviceMemory(std::span<const T> from) : DeviceMemory(static_cast<std::int64_t>(from.size())) {
    check(cudaMemcpy(data_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
    // Of pageable memory the rest may be under way still, which other streams would not wait for.
    check(cudaStreamSynchronize(cudaStreamLegacy));
  }
  ~DeviceMemory() { cudaFree(data_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  T* data() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

}  // namespace cuda_test
