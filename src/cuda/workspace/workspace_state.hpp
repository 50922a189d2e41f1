// The content of a DeviceWorkspace.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "cuda/finish/kernel_result.hpp"
#include "cuda/runtime/properties.hpp"
#include "foldline/device_workspace.hpp"

namespace foldline {

namespace cuda {
struct Workspace;
struct ScanWorkspace;
}  // namespace cuda

struct DeviceWorkspace::State {
  Device device;
  cuda::DeviceLimits limits;
  bool has_pipelines;
  std::pmr::memory_resource* memory;
  std::byte* data;

  // Parts of `data`.
  cuda::Workspace* reduction;
  cuda::KernelResult *part, *total;  // of the last launch, and of all launches of a reduction
  std::byte* axis;                   // see attach_split_memory
  cuda::ScanWorkspace* scan;

  State(Device where, std::pmr::memory_resource* from);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

inline DeviceWorkspace::State& state_of(const DeviceWorkspace& workspace) { return *workspace.state_; }

}  // namespace foldline
