// Device memory, CUDA errors, and a record of launches.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "runner/errors.hpp"

namespace foldline::ladder {

/// Copies an input to the GPU, and adds the time to `input_time`.
void copy_input(void* to, const void* from, std::size_t bytes);
/// Microseconds since it was last reset.
double& input_time();
/// Says that these bytes have no value any more: the simulator finds kernels that read them before they write
/// them.
void forget(void* data, std::size_t bytes);

/// An array in device memory, allocated at first use.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  /// The elements: allocated and zero at the first call; the size must be the same at every call.
  T* get(std::int64_t size) {
    if (size_ < 0) {
      size_ = size;
      // allocates even for no elements, so that the address is not null
      check(cudaMalloc(reinterpret_cast<void**>(&data_), size == 0 ? sizeof(T) : bytes()),
            "allocating memory of the GPU");
      check(cudaMemset(data_, 0, bytes()), "clearing memory of the GPU");
    }
    if (size != size_) throw std::logic_error("a rung asks for an array of another size than before");
    return data_;
  }
  T* get(const std::vector<T>& host) {
    const bool first = size_ < 0;
    get(static_cast<std::int64_t>(host.size()));
    if (first) copy_input(data_, host.data(), bytes());
    return data_;
  }
  explicit operator bool() const { return size_ >= 0; }
  T* data() const { return data_; }
  std::int64_t size() const { return size_; }

  /// Bytes that no right result has: ints of -1515870811, floating-point numbers of about -3e-16 and -4e-129.
  void poison() {
    if (size_ <= 0) return;
    check(cudaMemsetAsync(data_, 0xa5, bytes()), "poisoning an output");
    forget(data_, bytes());
  }
  void copy_from(const DeviceArray& other) {
    check(cudaMemcpyAsync(data_, other.data_, bytes(), cudaMemcpyDeviceToDevice), "refreshing the input");
  }
  /// Waits for queued work.
  std::vector<T> on_host() const {
    std::vector<T> host(static_cast<std::size_t>(size_));
    check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copying from the GPU");
    return host;
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  T* data_ = nullptr;
  std::int64_t size_ = -1;  ///< not allocated yet
};

/// A number in host memory that kernels write to: available as soon as the kernel has ended, without a copy,
/// which would take 7 us. Allocated at first use.
template <class T>
class HostNumber {
 public:
  HostNumber() = default;
  ~HostNumber() { cudaFreeHost(data_); }
  HostNumber(const HostNumber&) = delete;
  HostNumber& operator=(const HostNumber&) = delete;

  T* get() {
    if (data_ == nullptr) {
      check(cudaMallocHost(reinterpret_cast<void**>(&data_), sizeof(T)), "allocating memory of the host");
      poison_.get(1);
      poison_.poison();
    }
    return data_;
  }
  explicit operator bool() const { return data_ != nullptr; }
  void poison() {
    if (data_ != nullptr)
      check(cudaMemcpyAsync(data_, poison_.data(), sizeof(T), cudaMemcpyDeviceToHost), "poisoning an output");
  }
  T wait() const {
    check(cudaDeviceSynchronize(), "waiting for a kernel");
    return *data_;
  }

 private:
  T* data_ = nullptr;
  DeviceArray<T> poison_;
};

/// A launch, for the table: registers and occupancy follow from it.
struct Launch {
  const void* kernel;
  std::int64_t grid;
  int block;
  std::size_t shared_bytes;
};

/// The launches since the list was last cleared.
std::vector<Launch>& launches();

}  // namespace foldline::ladder
