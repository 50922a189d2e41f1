// Launch functions of the reduction kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "contract/reduction.hpp"
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

/// Blocks of a kernel, threads and bytes of dynamic shared memory of each.
struct KernelGrid {
  int blocks, threads, dynamic_memory;
};
/// Starts a kernel, whose parameters are a source of `count` elements, the workspace, the result, the task of
/// rounding it, and, if `may_wait` is not null, whether a block may wait for others: all are then resident.
void start_kernel(const void* kernel, const KernelGrid& grid, const void* source, std::int64_t count,
                  const Launch& launch, const bool* may_wait);
/// The first of the numbers of bytes of dynamic shared memory with which so many blocks fit on a
/// multiprocessor, else 0.
int most_dynamic_memory(const void* kernel, int threads, int blocks_per_multiprocessor,
                        std::initializer_list<int> bytes);
/// True if blocks may wait for each other: the launch is captured into a graph, and so many blocks fit.
bool all_may_wait(const void* kernel, int threads, int dynamic_memory, int blocks_per_multiprocessor,
                  const Launch& launch);

}  // namespace foldline::cuda
