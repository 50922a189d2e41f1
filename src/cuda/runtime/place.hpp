// Where vectors are.
#pragma once

namespace foldline::cuda {

enum class Place { host, device };

/// Where an address is: memory that the device reads and writes at full speed, or that of the host. Throws
/// InvalidArgument for the memory of another device.
Place place_of(const void* data, int device);

/// Throws InvalidArgument unless two vectors are in the same place.
void require_same_place(Place one, Place other);

/// Throws InvalidArgument unless a kernel on the device can use an address: in its memory, in managed memory,
/// or in pinned memory of the host.
void require_reachable(const char* what, const void* data, int device);

}  // namespace foldline::cuda
