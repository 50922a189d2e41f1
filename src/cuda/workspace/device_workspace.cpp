#include "foldline/device_workspace.hpp"

#include "contract/backend.hpp"
#include "cuda/axis/axis_launch.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/workspace/workspace_state.hpp"
#include "foldline/error.hpp"

namespace foldline {

namespace {

constexpr std::size_t alignment = 256;

constexpr std::size_t room_for(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Offsets of the parts.
struct WorkspaceLayout {
  std::size_t part = room_for(cuda::workspace_bytes);
  std::size_t total = part + room_for(sizeof(cuda::KernelResult));
  std::size_t axis = total + room_for(sizeof(cuda::KernelResult));
  std::size_t scan = axis + room_for(cuda::max_split_memory_bytes());
  std::size_t end = scan + room_for(cuda::scan_workspace_bytes);
};

/// cudaMalloc as a memory resource, for the current device.
class DeviceMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    cuda::check(cudaMalloc(&memory, bytes), "allocating a workspace");
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { cudaFree(memory); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

std::pmr::memory_resource* memory_of_runtime() {
  static DeviceMemory memory;
  return &memory;
}

}  // namespace

DeviceWorkspace::State::State(Device where, std::pmr::memory_resource* from)
    : device(where),
      limits(cuda::device_limits(where.index)),
      memory(from == nullptr ? memory_of_runtime() : from) {
  const cuda::DeviceGuard guard(device.index);
  cuda::clear_kernel_attributes();
  const WorkspaceLayout layout;
  data = static_cast<std::byte*>(memory->allocate(layout.end, alignment));
  try {
    has_pipelines = cuda::has_pipelines();
    cuda::check(cudaMemset(data, 0, layout.end), "clearing a workspace");
    scan = reinterpret_cast<cuda::ScanWorkspace*>(data + layout.scan);
    cuda::clear_scan_workspace(scan);
    cuda::check(cudaStreamSynchronize(cudaStreamLegacy), "clearing a workspace");
  } catch (...) {
    memory->deallocate(data, layout.end, alignment);
    throw;
  }
  reduction = reinterpret_cast<cuda::Workspace*>(data);
  part = reinterpret_cast<cuda::KernelResult*>(data + layout.part);
  total = reinterpret_cast<cuda::KernelResult*>(data + layout.total);
  axis = data + layout.axis;
}

DeviceWorkspace::State::~State() { memory->deallocate(data, WorkspaceLayout().end, alignment); }

namespace {
Device checked(Device device) {
  if (device.kind != Device::Kind::cuda)
    throw InvalidArgument("DeviceWorkspace: for a CUDA device, but was asked for on " + name_of(device));
  cuda::require_device(device.index);
  return device;
}
}  // namespace

DeviceWorkspace::DeviceWorkspace(Device device, std::pmr::memory_resource* memory)
    : state_(std::make_unique<State>(checked(device), memory)) {}
DeviceWorkspace::DeviceWorkspace(DeviceWorkspace&&) noexcept = default;
DeviceWorkspace& DeviceWorkspace::operator=(DeviceWorkspace&&) noexcept = default;
DeviceWorkspace::~DeviceWorkspace() = default;

Device DeviceWorkspace::device() const { return state_->device; }
std::int64_t DeviceWorkspace::bytes() { return static_cast<std::int64_t>(WorkspaceLayout().end); }

}  // namespace foldline
