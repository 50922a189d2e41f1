// The kernels, as plain functions: what the rest of the backend knows of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "contract/backend.hpp"
#include "cuda/finish/results.hpp"

namespace foldline::cuda {

struct ResultTask;
struct Workspace;
extern const std::size_t workspace_bytes;

/// Where a kernel runs.
struct Launch {
  Workspace* workspace;
  KernelResult* result;  // written by the kernel
  cudaStream_t stream;
  int multiprocessors;
  /// What a launch that takes all elements does with the sums it writes; null: nothing.
  const ResultTask* round = nullptr;
};

/// Starts the reduction of vectors in memory that the device can reach: all of it, or the first elements, as
/// many as one launch takes. Returns how many; size > 0.
std::int64_t launch_reduce(const Reduction& reduction, const Launch& launch);

/// The same of contiguous vectors of a type, aligned to their size and alike.
template <ElementType Type>
std::int64_t launch_contiguous_as(const Reduction& reduction, const Launch& launch);
/// The same of any vectors.
std::int64_t launch_strided(const Reduction& reduction, const Launch& launch);

}  // namespace foldline::cuda
