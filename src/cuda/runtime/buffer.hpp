// Device memory owned by a scope.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

/// Device memory on the current device, freed by the destructor.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes, const char* what) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), what);
    memory_ = static_cast<std::byte*>(memory);
  }
  ~Buffer() { cudaFree(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const { return memory_; }

 private:
  std::byte* memory_;
};

}  // namespace foldline::cuda
