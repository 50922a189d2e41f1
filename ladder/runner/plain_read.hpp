// The roof of whatever reads memory: loads, and next to no arithmetic.
#pragma once

#include <cstdint>

namespace foldline::ladder {

/// Queues a kernel that reads one or (`second` not null) two arrays of so many bytes, but for the last ones
/// if they are no multiple of 16. `sink` is an int on the device, for results that nobody needs.
void read_memory(const void* first, const void* second, std::int64_t bytes, int* sink);
inline void read_memory(const void* data, std::int64_t bytes, int* sink) {
  read_memory(data, nullptr, bytes, sink);
}

}  // namespace foldline::ladder
