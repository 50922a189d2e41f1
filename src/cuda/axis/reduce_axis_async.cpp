// Asynchronous reductions along an axis on a GPU: launches only.
#include "contract/async_backend.hpp"
#include "cuda/axis/axis_launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

/// Reduces few long vectors one after another.
void reduce_each(const AxisReduction& reduction, const async::Queue& queue) {
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    const Offset offset = offset_of(reduction.axes, i);
    reduce_async({.needs = needs_of(reduction.operation), .x = vector_at(reduction, offset.terms), .y = {}},
                 {.operation = reduction.operation,
                  .ddof = reduction.ddof,
                  .out = reduction.out + offset.out * size_of(reduction.out_type),
                  .type = reduction.out_type},
                 reduction.overflow, queue);
  }
}

void launch(const AxisReduction& reduction, const async::Queue& queue) {
  const auto& state = state_of(*queue.workspace);
  AxisTask task = axis_task(reduction, state.limits);
  attach_split_memory(task, state.axis);
  if (queue.status != nullptr) task.failure = reinterpret_cast<unsigned long long*>(queue.status);
  launch_axis(task, static_cast<cudaStream_t>(queue.stream));
}

}  // namespace

void reduce_axis_async(const AxisReduction& reduction, const async::Queue& queue) {
  if (!takes_vectors(reduction)) return reduce_each(reduction, queue);
  const int device = queue.workspace->device().index;
  const DeviceGuard guard(device);
  if (reduction.terms.size() > 0) require_reachable("the array", reduction.terms.data(), device);
  require_reachable("the output", reduction.out, device);
  if (queue.status != nullptr) require_reachable("the status", queue.status, device);
  for_each_launch(reduction, [&](const AxisReduction& part, std::int64_t) { launch(part, queue); });
}

}  // namespace foldline::cuda
