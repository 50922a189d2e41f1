/// @file
/// Memory of a GPU that the calls of async.hpp work in.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>

#include "foldline/device.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// What asynchronous calls need of a device beside their data: all of it is allocated here, so the calls
/// allocate nothing.
///
/// Calls with one workspace must come after each other: all in one stream, or in streams that wait for each
/// other. Calls that may run at the same time take a workspace each. It must stay until the last of them, or
/// of the replays of a graph that contains them, is done.
class FOLDLINE_API DeviceWorkspace {
 public:
  /// Takes bytes() of the device's memory, by cudaMalloc, or from `memory`, which hands out memory of the
  /// device that can be used at once, and must outlive the workspace. (A std::pmr::monotonic_buffer_resource
  /// over memory of the device will do.) Returns when it is ready for calls in any stream.
  ///
  /// Throws InvalidArgument if there is no such device, DeviceError if there is not enough memory, and what
  /// `memory` throws.
  explicit DeviceWorkspace(Device device, std::pmr::memory_resource* memory = nullptr);
  /// The other one may only be assigned to and destroyed after this.
  DeviceWorkspace(DeviceWorkspace&& other) noexcept;
  /// As the move constructor; what was here before must not be in use.
  DeviceWorkspace& operator=(DeviceWorkspace&& other) noexcept;
  ~DeviceWorkspace();

  /// Where it is.
  [[nodiscard]] Device device() const;
  /// Size of a workspace, some 35 MB; 0 if this build has no CUDA.
  [[nodiscard]] static std::int64_t bytes();

 private:
  struct FOLDLINE_HIDDEN State;
  friend State& state_of(const DeviceWorkspace& workspace);
  std::unique_ptr<State> state_;
};

}  // namespace foldline
