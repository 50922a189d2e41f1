// Prepares and launches the task of a reduction along an axis.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/axis/axis_task.hpp"

namespace foldline::cuda {

/// Calls f(part, first result) for each index of the first axis, for reductions with too many axes for a
/// launch.
template <class F>
void for_each_part(const AxisReduction& reduction, const F& f) {
  AxisReduction part = reduction;
  const ResultAxis outermost = reduction.axes.front();
  part.axes.erase(part.axes.begin());
  part.results /= outermost.extent;
  for (std::int64_t i = 0; i < outermost.extent; ++i) {
    part.terms = vector_at(reduction, i * outermost.stride);
    part.out = reduction.out + i * outermost.out_stride * size_of(reduction.out_type);
    f(part, i * part.results);
  }
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
