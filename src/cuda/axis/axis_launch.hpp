// Prepares and launches the task of a reduction along an axis.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "contract/axis_parts.hpp"
#include "cuda/axis/axis_task.hpp"

namespace foldline::cuda {

/// Calls f(part, first result) for the launches that a reduction takes.
template <class F>
void for_each_launch(const AxisReduction& reduction, const F& f) {
  for_each_axis_part(reduction, max_results_of_launch, max_axes, f);
}

/// Bytes of global memory that the blocks of a launch share: failure index, tickets, counts and totals. Zero
/// before and after a launch.
std::size_t split_memory_bytes(const AxisTask& task);
/// Enough for any task.
std::size_t max_split_memory_bytes();
void attach_split_memory(AxisTask& task, std::byte* memory);

/// Launches the kernel of a task whose memory is attached.
void launch_axis(const AxisTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
