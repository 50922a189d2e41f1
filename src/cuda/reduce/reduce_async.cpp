// Asynchronous reductions on a GPU: one launch, or several and one that rounds the result.
#include "contract/async_backend.hpp"
#include "cuda/reduce/launch.hpp"
#include "cuda/reduce/round_result.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

void require_all_reachable(const Reduction& reduction, const DeviceResult& result,
                           const async::Queue& queue) {
  const int device = queue.workspace->device().index;
  if (reduction.x.size() > 0) {
    require_reachable("vector x", reduction.x.data(), device);
    if (reduction.two_vectors) require_reachable("vector y", reduction.y.data(), device);
  }
  require_reachable("the result", result.out, device);
  if (queue.status != nullptr) require_reachable("the status", queue.status, device);
}

}  // namespace

void reduce_async(const Reduction& reduction, const DeviceResult& result, Overflow overflow,
                  const async::Queue& queue) {
  const DeviceGuard guard(queue.workspace->device().index);
  require_all_reachable(reduction, result, queue);
  const auto& state = state_of(*queue.workspace);
  ResultTask task = result_task(reduction, result, overflow);
  task.status = reinterpret_cast<unsigned long long*>(queue.status);
  const Launch launch{state.reduction, state.part, static_cast<cudaStream_t>(queue.stream),
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
