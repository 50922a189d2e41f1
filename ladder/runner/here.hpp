// Errors and limits for kernels' files: without the standard library's headers, which would double their
// compile time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

/// Throws NotHere with "`reason` `limit`".
[[noreturn]] void not_here(const char* reason, std::int64_t limit);
/// Throws a std::runtime_error that says what was being done, if it failed.
void check(cudaError_t error, const char* doing);
/// Queues the setting of memory on the device to zero: part of a rung's work.
void clear(void* data, std::size_t bytes);

}  // namespace foldline::ladder
