// Arrays and results in host memory, for reductions along an axis on a device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "contract/backend.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/memory_space.hpp"

namespace foldline::cuda {

/// Copies an array to the device, including the gaps between its elements, and points the reduction at the
/// copy.
void copy_array(AxisReduction& reduction, std::optional<Buffer>& buffer, cudaStream_t stream);

/// Makes the reduction write its results contiguously to `out`.
void write_contiguously(AxisReduction& reduction, std::byte* out);

/// Copies contiguous results in host memory to where the reduction wants them, in memory of kind `place`.
void scatter(const std::vector<std::byte>& results, const AxisReduction& reduction, MemorySpace space,
             cudaStream_t stream);

}  // namespace foldline::cuda
