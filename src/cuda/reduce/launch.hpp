// Launch functions of the reduction kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "contract/backend.hpp"
#include "cuda/finish/kernel_result.hpp"

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
  /// How to round and store the result, if one launch reduces all elements; may be null.
  const ResultTask* round = nullptr;
};

/// Launches the reduction of vectors that the device can access: of all elements, or of the first ones if one
/// launch cannot take all. Returns how many; size > 0.
std::int64_t launch_reduce(const Reduction& reduction, const Launch& launch);

/// The same for contiguous vectors of one type that are aligned to its size, and alike.
template <ElementType Type>
std::int64_t launch_contiguous_as(const Reduction& reduction, const Launch& launch);
/// The same for any vectors.
std::int64_t launch_strided(const Reduction& reduction, const Launch& launch);

}  // namespace foldline::cuda
