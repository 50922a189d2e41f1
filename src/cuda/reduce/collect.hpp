// Adds the result of a kernel to moments.
#pragma once

#include "contract/backend.hpp"
#include "cuda/finish/results.hpp"

namespace foldline::cuda {

/// Adds the result of a kernel that reduced `count` elements.
void collect(const KernelResult& result, const Reduction& reduction, std::int64_t count, Moments& moments);

}  // namespace foldline::cuda
