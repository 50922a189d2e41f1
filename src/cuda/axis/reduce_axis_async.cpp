// Asynchronous reductions along an axis on a GPU: launches only.
#include "contract/async_backend.hpp"
#include "cuda/axis/axis_launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

/// Reduces few long vectors one after another.
void reduce_each(const AxisReduction& reduction, const Context& context) {
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    const Offset offset = offset_of(reduction.axes, i);
    reduce_async({.needs = needs_of(reduction.operation), .x = vector_at(reduction, offset.terms), .y = {}},
                 {.operation = reduction.operation,
                  .ddof = reduction.ddof,
                  .out = reduction.out + offset.out * size_of(reduction.out_type),
                  .type = reduction.out_type},
                 context);
  }
}

void launch(const AxisReduction& reduction, const Context& context) {
  if (reduction.axes.size() > max_axes)
    return for_each_part(reduction, [&](const AxisReduction& part, std::int64_t) { launch(part, context); });
  const DeviceWorkspace::State& state = context.workspace->state();
  AxisTask task = axis_task(reduction, state.limits);
  attach_split_memory(task, state.axis);
  if (context.status != nullptr) task.failure = reinterpret_cast<unsigned long long*>(context.status);
  launch_axis(task, static_cast<cudaStream_t>(context.stream));
}

}  // namespace

void reduce_axis_async(const AxisReduction& reduction, const Context& context) {
  if (reduction.terms.size() > longest_vector) return reduce_each(reduction, context);
  const int device = context.device.index;
  const DeviceGuard guard(device);
  if (reduction.terms.size() > 0) require_reachable("the array", reduction.terms.data(), device);
  require_reachable("the output", reduction.out, device);
  if (context.status != nullptr) require_reachable("the status", context.status, device);
  launch(reduction, context);
}

}  // namespace foldline::cuda
