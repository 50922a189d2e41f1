// Copies of host memory on a device, for tests of what runs there.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "foldline/device.hpp"

namespace cases {

/// Bytes in the memory of a CUDA device, at an address with the same remainder modulo 256 as in the host's
/// memory, followed by nothing of the test's.
class DeviceCopy {
 public:
  DeviceCopy(std::span<const std::byte> bytes, foldline::Device device);
  /// The address on the device of what is at `host` in the bytes that were copied.
  std::byte* at(const std::byte* host) const { return first_ + (host - host_); }
  /// Copies them back, to bytes as many.
  void fetch(std::span<std::byte> bytes) const;

 private:
  std::shared_ptr<std::byte> memory_;
  std::byte* first_ = nullptr;
  const std::byte* host_ = nullptr;
};

}  // namespace cases
