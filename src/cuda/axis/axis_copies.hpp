// Arrays and results of the host's memory, for reductions along an axis on a device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "contract/backend.hpp"
#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/place.hpp"

namespace foldline::cuda {

/// Copies an array of the host's, with whatever lies between its elements; the reduction is of the copy then.
void copy_array(AxisReduction& reduction, std::optional<Buffer>& buffer, cudaStream_t stream);

/// Has the results written one behind another.
void write_densely(AxisReduction& reduction, std::byte* out);

/// Puts results that lie one behind another in the host's memory where they belong, which is in `place`.
void scatter(const std::vector<std::byte>& results, const AxisReduction& reduction, Place place,
             cudaStream_t stream);

}  // namespace foldline::cuda
