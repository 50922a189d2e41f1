#include <cuda_runtime_api.h>

#include <stdexcept>

#include "device_copy.hpp"

namespace cases {

namespace {
void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}
}  // namespace

DeviceCopy::DeviceCopy(std::span<const std::byte> bytes, foldline::Device device) : host_(bytes.data()) {
  constexpr std::size_t alignment = 256;
  check(cudaSetDevice(device.index));
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes.size() + alignment));
  memory_ = {static_cast<std::byte*>(memory), [](std::byte* owned) { cudaFree(owned); }};
  std::byte* const first = memory_.get() + reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment;
  check(cudaMemcpy(first, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  // Of pageable memory the rest may be under way still, which other streams would not wait for.
  check(cudaStreamSynchronize(cudaStreamLegacy));
  first_ = first;
}

void DeviceCopy::fetch(std::span<std::byte> bytes) const {
  check(cudaMemcpy(bytes.data(), first_, bytes.size(), cudaMemcpyDeviceToHost));
}

}  // namespace cases
