// Properties of a device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace foldline::cuda {

int property_of(int device, cudaDeviceAttr property);

int multiprocessors_of(int device);

/// Properties that the plan of a reduction along an axis depends on.
struct DeviceLimits {
  int multiprocessors;
  std::int64_t l2_bytes;  // size of the L2 cache
  int shared_bytes;       // shared memory of a multiprocessor
};
DeviceLimits device_limits(int device);

/// The largest shared memory of a block on the current device.
int max_shared_memory_per_block();

}  // namespace foldline::cuda
