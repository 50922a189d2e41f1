// Measures a group of contestants on the GPU.
#pragma once

#include "bench/options.hpp"
#include "bench/results.hpp"
#include "problem.hpp"

namespace foldline::bench::cuda {

/// Checks every result once, leaves out peers with wrong ones, measures the others in turns, and adds the
/// rows.
void run_group(const Case& group, const Competition& competition, std::int64_t pieces, cudaStream_t stream,
               const Method& method, Results& results);

}  // namespace foldline::bench::cuda
