#include "cuda/runtime/place.hpp"

#include "cuda/runtime/check.hpp"
#include "foldline/device.hpp"

namespace foldline::cuda {

namespace {

cudaPointerAttributes attributes_of(const void* data) {
  cudaPointerAttributes attributes;
  check(cudaPointerGetAttributes(&attributes, data), "asking where a vector is");
  return attributes;
}

Place place_by(const cudaPointerAttributes& attributes, int device) {
  if (attributes.type == cudaMemoryTypeManaged) return Place::device;
  if (attributes.type != cudaMemoryTypeDevice) return Place::host;
  if (attributes.device != device)
    throw InvalidArgument("a vector is in the memory of " + name_of(Device::cuda(attributes.device)) +
                          ", but the context says " + name_of(Device::cuda(device)));
  return Place::device;
}

}  // namespace

Place place_of(const void* data, int device) { return place_by(attributes_of(data), device); }

void require_same_place(Place one, Place other) {
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
  place_by(attributes, device);
}

}  // namespace foldline::cuda
