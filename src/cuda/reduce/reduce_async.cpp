// Asynchronous reductions on a GPU: one launch, or several and one that rounds the result.
#include "contract/async_backend.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/round_result.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

void require_all_reachable(const Reduction& reduction, const DeviceResult& result, const Context& context) {
  const int device = context.device.index;
  if (reduction.x.size() > 0) {
    require_reachable("vector x", reduction.x.data(), device);
    if (reduction.two_vectors) require_reachable("vector y", reduction.y.data(), device);
  }
  require_reachable("the result", result.out, device);
  if (context.status != nullptr) require_reachable("the status", context.status, device);
}

}  // namespace

void reduce_async(const Reduction& reduction, const DeviceResult& result, const Context& context) {
  const DeviceGuard guard(context.device.index);
  require_all_reachable(reduction, result, context);
  const DeviceWorkspace::State& state = context.workspace->state();
  ResultTask task = result_task(reduction, result, context.overflow);
  task.status = reinterpret_cast<unsigned long long*>(context.status);
  const Launch launch{state.reduction, state.part, static_cast<cudaStream_t>(context.stream),
                      state.limits.multiprocessors, &task};
  Reduction rest = reduction;
  while (rest.x.size() > 0) {
    const bool is_first = rest.x.size() == reduction.x.size();
    const std::int64_t done = launch_reduce(rest, launch);
    rest.x = rest.x.part(done, rest.x.size() - done);
    if (rest.two_vectors) rest.y = rest.y.part(done, rest.y.size() - done);
    if (is_first && rest.x.size() == 0) return;  // the launch has rounded the result
    launch_add_to_total(state.part, state.total, is_first, launch.stream);
  }
  task.sums = state.total;
  launch_round_result(task, launch.stream);
}

}  // namespace foldline::cuda
