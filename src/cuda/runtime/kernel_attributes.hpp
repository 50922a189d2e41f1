// Attributes and occupancy of kernels, cached per device: for short calls the host's time counts, and two
// queries of the runtime take it 0.6 us.
#pragma once

#include <cuda_runtime_api.h>

namespace foldline::cuda {

/// Lets blocks of a kernel use `bytes` of dynamic shared memory on the current device. All callers must pass
/// the same size, since other threads may be about to launch the kernel.
void set_max_dynamic_shared_memory(const void* kernel, int bytes);

/// Blocks per multiprocessor of the current device, with `bytes` of dynamic shared memory, for a kernel whose
/// limit is first raised to `max_bytes`. 0 if that is too much or the query fails.
int max_blocks_per_multiprocessor(const void* kernel, int threads, int bytes, int max_bytes);

/// The same without raising the limit.
int resident_blocks_per_multiprocessor(const void* kernel, int threads, int bytes);

/// True if a kernel that calls wait_for_previous_launch() may start before the previous launch ends: the
/// running code must be compiled for compute capability 9.0 or newer, and the device must have compute
/// capability 9.x, on which this is tested.
bool allows_programmatic_launch(const void* kernel);

/// Clears the cache, since a reset device loses its attributes. Whatever allocates a workspace calls this.
void clear_kernel_attributes();

}  // namespace foldline::cuda
