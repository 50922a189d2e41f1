#include "cuda/runtime/memory_space.hpp"

#include "cuda/runtime/check.hpp"
#include "foldline/device.hpp"

namespace foldline::cuda {

namespace {

cudaPointerAttributes attributes_of(const void* data) {
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, data), "asking where a vector is");
  return attributes;
}

MemorySpace memory_space_by(const cudaPointerAttributes& attributes, int device) {
  if (attributes.type == cudaMemoryTypeManaged) return MemorySpace::device;
  if (attributes.type != cudaMemoryTypeDevice) return MemorySpace::host;
  if (attributes.device != device)
    throw InvalidArgument("a vector is in the memory of " + name_of(Device::cuda(attributes.device)) +
                          ", but the context says " + name_of(Device::cuda(device)));
  return MemorySpace::device;
}

}  // namespace

MemorySpace memory_space_of(const void* data, int device) {
  return memory_space_by(attributes_of(data), device);
}

void require_same_memory_space(MemorySpace one, MemorySpace other) {
  if (one != other)
    throw InvalidArgument(
        "one vector is in the memory of the device, the other in the host's; copy one of them");
}

// One query per vector: for short calls the host's time counts.
void require_reachable(const char* what, const void* data, int device) {
  const cudaPointerAttributes attributes = attributes_of(data);
  if (attributes.type == cudaMemoryTypeUnregistered)
    throw InvalidArgument(std::string("async: ") + what + " is in memory of the host that " +
                          name_of(Device::cuda(device)) +
                          " does not reach; use the device's memory, managed memory or pinned memory");
  memory_space_by(attributes, device);
}

}  // namespace foldline::cuda
