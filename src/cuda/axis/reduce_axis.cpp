// Synchronous reductions along an axis on a GPU: locates the data, launches, and reports overflow.
#include <algorithm>
#include <optional>
#include <vector>

#include "cuda/axis/axis_copies.hpp"
#include "cuda/axis/axis_launch.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

namespace {

/// The device resources of a call.
class Work {
 public:
  Work(int device, cudaStream_t stream)
      : stream_(stream), resources_(device), limits_(device_limits(device)) {}

  /// Reduces an array in device memory to results in device memory. Returns the index of a result that its
  /// integer type cannot hold, or -1.
  std::int64_t run(const AxisReduction& reduction) {
    std::int64_t first_failure = -1;
    for_each_launch(reduction, [&](const AxisReduction& part, std::int64_t first) {
      if (first_failure >= 0) return;
      if (const std::int64_t failure = run_part(part); failure >= 0) first_failure = first + failure;
    });
    return first_failure;
  }

 private:
  std::int64_t run_part(const AxisReduction& reduction) {
    AxisTask task = axis_task(reduction, limits_);
    resources_->make_axis_totals(split_memory_bytes(task));
    attach_split_memory(task, resources_->axis_totals);
    launch_axis(task, stream_);
    unsigned long long failure = 0;
    if (task.is_integer) {
      check(cudaMemcpyAsync(&failure, task.failure, sizeof failure, cudaMemcpyDeviceToHost, stream_),
            "a reduction along an axis");
      check(cudaMemsetAsync(task.failure, 0, sizeof failure, stream_), "a reduction along an axis");
    }
    check(cudaStreamSynchronize(stream_), "a reduction along an axis");
    return failure == 0 ? -1 : static_cast<std::int64_t>(~failure);
  }

  const cudaStream_t stream_;
  Lease resources_;
  DeviceLimits limits_;
};

/// Reduces few long vectors one after another, and rounds on the host.
void reduce_each(const AxisReduction& reduction, MemorySpace space, const Plan& plan, cudaStream_t stream,
                 RoundTo round) {
  std::vector<std::byte> results(static_cast<std::size_t>(reduction.results * size_of(reduction.out_type)));
  AxisReduction dense = reduction;
  write_contiguously(dense, results.data());
  for (std::int64_t i = 0; i < reduction.results; ++i) {
    Moments moments;
    const std::int64_t offset = offset_of(reduction.axes, i).terms;
    reduce({.needs = needs_of(reduction.operation), .x = vector_at(reduction, offset), .y = {}}, plan, stream,
           moments);
    round(dense, moments, i);
  }
  if (!reduction.failure->exception) scatter(results, reduction, space, stream);
}

/// Repeats the failed result on the host, which throws the error with its details.
void fail(const AxisReduction& reduction, std::int64_t index, const Plan& plan, cudaStream_t stream,
          RoundTo round) {
  AxisReduction one = reduction;
  one.terms = vector_at(reduction, offset_of(reduction.axes, index).terms);
  one.axes.clear();
  one.results = 1;
  std::vector<std::byte> nowhere(static_cast<std::size_t>(size_of(reduction.out_type)));
  one.out = nowhere.data();
  reduce_each(one, MemorySpace::host, plan, stream, round);
}

}  // namespace

void reduce_axis(const AxisReduction& reduction, const Plan& plan, void* stream_of_caller, RoundTo round) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  const MemorySpace out = memory_space_of(reduction.out, device);
  if (!takes_vectors(reduction)) return reduce_each(reduction, out, plan, stream, round);

  AxisReduction there = reduction;  // in device memory
  std::optional<Buffer> array, dense;
  if (reduction.terms.size() > 0 && memory_space_of(reduction.terms.data(), device) == MemorySpace::host)
    copy_array(there, array, stream);
  const std::int64_t bytes = reduction.results * size_of(reduction.out_type);
  if (out == MemorySpace::host)
    write_contiguously(there, dense.emplace(bytes, "allocating memory for results").data());
  const std::int64_t failure = Work(device, stream).run(there);
  if (failure >= 0) return fail(reduction, failure, plan, stream, round);
  if (out == MemorySpace::host) {
    std::vector<std::byte> results(static_cast<std::size_t>(bytes));
    check(cudaMemcpy(results.data(), dense->data(), results.size(), cudaMemcpyDeviceToHost),
          "copying results");
    scatter(results, reduction, out, stream);
  }
}

}  // namespace foldline::cuda
