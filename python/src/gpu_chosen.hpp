// Reductions of the elements of a GPU's array that a mask takes, or that are no NaN.
#pragma once

#include <vector>

#include "gpu_array.hpp"

namespace foldline::python {

/// A mask as wide as x: of bool, of x's library and device. Throws as NumPy.
GpuArray mask_of(nb::handle where, const GpuArray& x, const char* caller);

/// Writes all results, at least one, of an array that is not empty; `mask` has no data if there is none. The
/// elements that count are copied, result after result, and reduced as segments. The call waits if a result
/// may fail, or is of more than 2^28 elements.
void reduce_chosen(const ReduceCall& call, const GpuArray& x, const GpuArray& mask,
                   const std::vector<bool>& is_reduced, const GpuOutput& output);

}  // namespace foldline::python
