// Errors and limits for kernel files, without headers of the standard library, which would double their
// compile time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace foldline::ladder {

/// Throws Unsupported with "`reason` `limit`".
[[noreturn]] void unsupported(const char* reason, std::int64_t limit);
/// Throws a std::runtime_error that names the failed action.
void check(cudaError_t error, const char* doing);
/// Queues clearing device memory, as part of a rung's work.
void clear(void* data, std::size_t bytes);
/// Throws Unsupported in the simulator: for rungs whose results are rates or latencies of a GPU.
void need_real_device();

}  // namespace foldline::ladder
