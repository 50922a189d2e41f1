// Shared memory of kernels, and how many blocks then fit: asked for once, since in a stream of short calls
// the host's time counts. (Two questions take an H200's host 0.6 us, and 10 where its caches hold other
// things.)
#pragma once

#include <cuda_runtime_api.h>

namespace foldline::cuda {

/// Lets blocks of a kernel have so many bytes of dynamic shared memory on the current device. All that start
/// the kernel must ask for the same: others may be about to start it.
void allow_shared_memory(const void* kernel, int bytes);

/// Blocks of a kernel that run on a multiprocessor of the current device at a time, with `bytes` of dynamic
/// shared memory, where some launches have up to `most_bytes`; 0 if there is not so much, or CUDA did not
/// say.
int blocks_of_multiprocessor(const void* kernel, int threads, int bytes, int most_bytes);

/// The same of a kernel that may have so much already.
int blocks_at_a_time(const void* kernel, int threads, int bytes);

/// Whether a kernel that waits for the launch before it (next_launch.cuh) may begin early on the current
/// device: if it runs code that was compiled for compute capability 9.0 or newer, and so has the call, on a
/// device of that kind.
bool may_begin_early(const void* kernel);

/// All will be asked again: a device that was reset does not know what it was told before. To be called by
/// whatever allocates a workspace, without which nothing is launched.
void forget_kernel_limits();

}  // namespace foldline::cuda
