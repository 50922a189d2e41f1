// What a launch of a kernel along an axis needs beside its task, in the simulator's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <set>
#include <vector>

#include "cuda/axis/axis_task.hpp"

namespace simulated {

using foldline::cuda::AxisTask;
using foldline::cuda::RetryList;

class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t size, int fill) : size_(size) {
    if (cudaMalloc(&data_, size) != cudaSuccess) throw std::bad_alloc();
    cudaMemset(data_, fill, size);
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(data_); }

  std::byte* get() const { return static_cast<std::byte*>(data_); }
  std::vector<std::byte> content() const {
    std::vector<std::byte> bytes(size_);
    cudaMemcpy(bytes.data(), data_, size_, cudaMemcpyDeviceToHost);
    return bytes;
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

/// The first results that the kernel left to the next one.
inline std::set<std::int64_t> retried(const DeviceBytes& list, int unit) {
  const std::vector<std::byte> bytes = list.content();
  unsigned count = 0;
  std::memcpy(&count, bytes.data() + offsetof(RetryList, count), sizeof count);
  std::set<std::int64_t> results;
  for (unsigned i = 0; i < count; ++i) {
    std::int64_t first = 0;
    std::memcpy(&first, bytes.data() + offsetof(RetryList, first) + i * sizeof first, sizeof first);
    for (int k = 0; k < unit; ++k) results.insert(first + k);
  }
  return results;
}

/// What the blocks of a launch share, attached to its task.
struct Workspace {
  explicit Workspace(AxisTask& task) {
    task.direct.retries = reinterpret_cast<RetryList*>(list.get());
    task.direct.parts = parts.get();
    task.tickets = reinterpret_cast<unsigned*>(tickets.get());
  }
  const DeviceBytes list{sizeof(RetryList), 0}, parts{foldline::cuda::direct_part_bytes, 0x3f},
      tickets{4 * foldline::cuda::max_split_results, 0};
};

}  // namespace simulated
