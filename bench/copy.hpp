// Copies of memory, the roof of operations that read a vector and write one.
#pragma once

#include <cstddef>

namespace foldline::bench {

/// By memcpy, each thread a part.
void copy(const void* from, void* to, std::size_t bytes, int threads);

/// By stores that pass by the caches, so that a line is not read before it is written. Where the
/// compiler knows none, the same as copy.
void stream(const void* from, void* to, std::size_t bytes, int threads);

}  // namespace foldline::bench
