// What a device has to work with.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace foldline::cuda {

int property_of(int device, cudaDeviceAttr property);

int multiprocessors_of(int device);

/// What the plan of a reduction along an axis depends on.
struct DeviceSize {
  int multiprocessors;
  std::int64_t l2_bytes;  // of its L2 cache
  int shared_bytes;       // of a multiprocessor's shared memory
};
DeviceSize size_of_device(int device);

/// Bytes that a block of the current device can have.
int shared_memory_of_block();

}  // namespace foldline::cuda
