// Which memory a pointer refers to.
#pragma once

namespace foldline::cuda {

enum class MemorySpace { host, device };

/// `device` for memory that the device accesses at full speed (its own or managed), else `host`. Throws
/// InvalidArgument for the memory of another device.
MemorySpace memory_space_of(const void* data, int device);

/// Throws InvalidArgument unless both are the same.
void require_same_memory_space(MemorySpace one, MemorySpace other);

/// Throws InvalidArgument unless a kernel on the device can access the address: device, managed or pinned
/// memory.
void require_reachable(const char* what, const void* data, int device);

}  // namespace foldline::cuda
