// Adds the result of a kernel to moments.
#pragma once

#include "contract/backend.hpp"
#include "cuda/finish/kernel_result.hpp"

namespace foldline::cuda {

/// Adds the result of a kernel that reduced `count` elements.
void add_to_moments(const KernelResult& result, const Reduction& reduction, std::int64_t count,
                    Moments& moments);

}  // namespace foldline::cuda
