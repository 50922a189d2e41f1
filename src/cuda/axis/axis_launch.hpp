// A task of a reduction along an axis on its way to a kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda/axis/axis_task.hpp"

namespace foldline::cuda {

/// Calls f(part) for each index of the first axis of a reduction that has too many axes for a launch.
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

/// Memory that the blocks of a launch share: the failure, the tickets, the totals. Zero before and after.
std::size_t shared_bytes(const AxisTask& task);
/// Enough for any task.
std::size_t most_shared_bytes();
void attach_shared_memory(AxisTask& task, std::byte* memory);

/// Starts the kernel of a task that has its memory.
void launch_axis(const AxisTask& task, cudaStream_t stream);

}  // namespace foldline::cuda
