/// @file
/// Memory of a GPU, for those who move data between it and something else, as foldline::mpi does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "foldline/context.hpp"
#include "foldline/device.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// Whether an address is in the memory of this GPU, its own or managed; never, if the device is the CPU.
/// Throws InvalidArgument if it is in that of another GPU, or if this build has no CUDA.
[[nodiscard]] FOLDLINE_API bool is_in_memory_of(const Device& device, const void* data);

/// Copies bytes within the memory of the execution's GPU, or between that and the host's: in its stream,
/// after what is queued there, which it waits for even if there are none. Returns when they are there. Throws
/// DeviceError if the GPU fails.
FOLDLINE_API void copy_bytes(const void* from, void* to, std::int64_t bytes, const Execution& execution);

/// Bytes for a scope to work in, in the memory of a GPU or of the host. Movable; what was moved from has
/// none.
class FOLDLINE_API DeviceBuffer {
 public:
  /// Where the bytes are.
  enum class Kind : std::uint8_t {
    device,  ///< in the memory of the GPU
    pinned   ///< in that of the host, where the GPU copies from and to at full speed
  };
  DeviceBuffer() = default;
  /// Throws DeviceError if there is not enough memory. Pinned memory takes milliseconds to make, so what is
  /// freed is kept for the next buffer (up to four).
  DeviceBuffer(const Device& device, std::int64_t bytes, Kind kind);
  /// @{ Moves.
  DeviceBuffer(DeviceBuffer&& other) noexcept { *this = std::move(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(device_, other.device_);
    std::swap(kind_, other.kind_);
    return *this;
  }
  /// @}
  ~DeviceBuffer();  // NOLINT(performance-trivially-destructible): with CUDA it frees

  /// The first byte; null if there are none.
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;  ///< of the memory, which may be more than was asked for
  Device device_;
  Kind kind_ = Kind::device;
};

}  // namespace foldline
