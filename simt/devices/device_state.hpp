// What the simulated device remembers between calls: its last error, and what was asked for a kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <simt/program.hpp>
#include <string>

namespace simt {

/// Remembers an error for cudaGetLastError and why it came, and returns it. cudaSuccess changes nothing.
cudaError_t remember(cudaError_t error, const std::string& why = "");
/// Returns it, and forgets it unless asked to keep it.
cudaError_t last_error(bool keep);

/// The bytes of dynamic shared memory that a launch of the kernel may take: what every device has, or what
/// cudaFuncSetAttribute asked for.
std::size_t dynamic_shared_limit(const void* kernel);
void set_dynamic_shared_limit(const void* kernel, std::size_t bytes);

/// Forgets all that is above.
void reset_device_state();

}  // namespace simt
