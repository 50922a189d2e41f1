// Copies of memory, the roof of operations that read a vector and write one.
#pragma once

#include <cstddef>

namespace foldline::bench {

/// By memcpy, each thread a part.
void copy(const void* from, void* to, std::size_t bytes, int threads);

/// By stores past the caches, so that a line is not read before it is written. Without compiler support, the
/// same as copy.
void stream(const void* from, void* to, std::size_t bytes, int threads);

}  // namespace foldline::bench
