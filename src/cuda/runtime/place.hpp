// Which memory a pointer refers to.
#pragma once

namespace foldline::cuda {

enum class Place { host, device };

/// `device` for memory that the device accesses at full speed (its own or managed), else `host`. Throws
/// InvalidArgument for the memory of another device.
Place place_of(const void* data, int device);

/// Throws InvalidArgument unless both are the same.
void require_same_place(Place one, Place other);

/// Throws InvalidArgument unless a kernel on the device can access the address: device, managed or pinned
/// memory.
void require_reachable(const char* what, const void* data, int device);

}  // namespace foldline::cuda
