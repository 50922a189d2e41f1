// The upper bound for everything that reads memory: loads with almost no arithmetic.
#pragma once

#include <cstdint>

namespace foldline::ladder {

/// Queues a kernel that reads one or (`second` not null) two arrays of `bytes` bytes, rounded down to a
/// multiple of 16. `sink` is an int in device memory for unused results.
void read_memory(const void* first, const void* second, std::int64_t bytes, int* sink);
inline void read_memory(const void* data, std::int64_t bytes, int* sink) {
  read_memory(data, nullptr, bytes, sink);
}

}  // namespace foldline::ladder
