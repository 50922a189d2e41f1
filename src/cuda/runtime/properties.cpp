#include "cuda/runtime/properties.hpp"

#include "cuda/runtime/check.hpp"

namespace foldline::cuda {

int property_of(int device, cudaDeviceAttr property) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, property, device), "asking for a device's properties");
  return value;
}

int multiprocessors_of(int device) { return property_of(device, cudaDevAttrMultiProcessorCount); }

DeviceLimits device_limits(int device) {
  return {multiprocessors_of(device), property_of(device, cudaDevAttrL2CacheSize),
          property_of(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor)};
}

int max_shared_memory_per_block() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  return property_of(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

}  // namespace foldline::cuda
