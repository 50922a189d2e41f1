// Scans along an axis on a GPU: locates the data, chooses kernels, launches.
#include <algorithm>
#include <cstring>
#include <optional>

#include "contract/async_backend.hpp"
#include "cuda/runtime/array_copy.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/scan/axis_scan_launch.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/workspace/resources.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

/// Bytes of a vector from which on pipelines scan one after the other as fast as memory: a launch takes some
/// microseconds, and more if the host waits for it.
constexpr std::int64_t long_if_queued = std::int64_t{8} << 20, long_if_waited_for = std::int64_t{64} << 20;

Scan vector_of(const ArrayScan& scan, std::int64_t index) {
  const Offset offset = offset_of(scan.axes, index);
  const VectorView& x = scan.x;
  const MutableVectorView& out = scan.out;
  return {.x = {x.at(0) + offset.terms * size_of(x.type()), x.type(), x.size(), x.stride()},
          .out = {out.at(0) + offset.out * size_of(out.type()), out.type(), out.size(), out.stride()},
          .exclusive = scan.exclusive,
          .overflow = scan.overflow};
}

/// Whether vectors are scanned one by one, as if each were alone.
bool is_for_pipelines(const ArrayScan& scan, bool has_pipelines, std::int64_t long_bytes) {
  if (scan.vectors == 1) return true;
  return has_pipelines && scan.x.size() >= long_bytes / size_of(scan.x.type()) &&
         elements_before_pipeline(vector_of(scan, 0)) >= 0;
}

/// Where a scan reports results that do not fit, and the memory that its launches share.
struct Memory {
  PartSums* sums;
  unsigned long long* status;
};

void launch(const ArrayScan& scan, const ScanState& before, const Memory& memory, int multiprocessors,
            cudaStream_t stream) {
  AxisScanTask task = axis_scan_task(scan, multiprocessors);
  task.sums = memory.sums;
  task.status = memory.status;
  const ScanStart start(before);
  if (!is_floating(task.out_type))
    launch_axis_scan_of_integers(task, start, stream);
  else if (task.type == task.out_type && task.is_aligned)
    launch_axis_scan_of_floats(task, start, stream);
  else
    launch_axis_scan_of_any(task, start, stream);
}

/// Copies the results of a scan from `copy`, of all bytes of an array, to the host's array.
void fetch(const ArrayScan& scan, const ArraySpan& span, const std::byte* copy, cudaStream_t stream) {
  std::vector<std::byte> results(static_cast<std::size_t>(span.bytes()));
  check(cudaMemcpyAsync(results.data(), copy + span.first, results.size(), cudaMemcpyDeviceToHost, stream),
        "copying results");
  check(cudaStreamSynchronize(stream), "copying results");
  const std::int64_t width = size_of(scan.out.type());
  std::byte* const first = scan.out.at(0);
  if (scan.vectors * scan.out.size() * width == span.bytes()) {
    std::memcpy(first + span.first, results.data(), results.size());
    return;
  }
  for (std::int64_t i = 0; i < scan.vectors; ++i) {
    const std::int64_t start = offset_of(scan.axes, i).out * width;
    for (std::int64_t k = 0; k < scan.out.size(); ++k) {
      const std::int64_t at = start + k * scan.out.stride() * width;
      std::memcpy(first + at, results.data() + (at - span.first), static_cast<std::size_t>(width));
    }
  }
}

/// The bytes of an array of such vectors.
ArraySpan span_of(const VectorView& vector, const std::vector<ResultAxis>& axes,
                  std::int64_t ResultAxis::* stride) {
  const std::int64_t width = size_of(vector.type());
  ArraySpan span(width);
  span.extend(vector.size(), vector.stride() * width);
  for (const ResultAxis& axis : axes) span.extend(axis.extent, axis.*stride * width);
  return span;
}

std::int64_t scan_on_device(const ArrayScan& scan, const ScanState& before, int device, cudaStream_t stream) {
  const Lease lease(device);
  Resources& resources = *lease.operator->();
  resources.make_scan_workspace();
  PartSums* const sums = part_sums_in(resources.scan_workspace);
  const Memory memory{sums, &sums->status};
  unsigned long long status = 0;
  check(cudaMemsetAsync(memory.status, 0, sizeof status, stream), "a scan");
  launch(scan, before, memory, resources.multiprocessors, stream);
  check(cudaMemcpyAsync(&status, memory.status, sizeof status, cudaMemcpyDeviceToHost, stream), "a scan");
  check(cudaStreamSynchronize(stream), "a scan");
  return status == 0 ? no_result : static_cast<std::int64_t>(~status);
}

}  // namespace

std::int64_t scan_axis(const ArrayScan& all, const ScanState& before, const Plan& plan,
                       void* stream_of_caller) {
  const auto stream = static_cast<cudaStream_t>(stream_of_caller);
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  const MemorySpace space = memory_space_of(all.x.data(), device);
  require_same_memory_space(space, memory_space_of(all.out.data(), device));
  if (is_for_pipelines(all, has_pipelines(), long_if_waited_for)) {
    std::int64_t overflow = no_result;
    for (std::int64_t i = 0; i < all.vectors; ++i) {
      ScanState state = before;
      overflow = std::min(overflow, scan(vector_of(all, i), plan, stream_of_caller, state));
    }
    return overflow;
  }
  if (space == MemorySpace::device) return scan_on_device(all, before, device, stream);
  const bool in_place = all.x.at(0) == all.out.at(0);
  const ArraySpan span = span_of(all.out, all.axes, &ResultAxis::out_stride);
  std::optional<Buffer> results, elements;
  std::byte* const out = copy_to_device(all.out.at(0), span, results, stream);
  std::byte* const x =
      in_place ? out
               : copy_to_device(all.x.at(0), span_of(all.x, all.axes, &ResultAxis::stride), elements, stream);
  ArrayScan there = all;
  there.x = {x, all.x.type(), all.x.size(), all.x.stride()};
  there.out = {out, all.out.type(), all.out.size(), all.out.stride()};
  const std::int64_t overflow = scan_on_device(there, before, device, stream);
  fetch(all, span, out, stream);
  return overflow;
}

void scan_axis_async(const ArrayScan& scan, const ScanState& before, const async::Queue& queue) {
  const int device = queue.workspace->device().index;
  const DeviceGuard guard(device);
  const auto& state = state_of(*queue.workspace);
  if (is_for_pipelines(scan, state.has_pipelines, long_if_queued)) {
    for (std::int64_t i = 0; i < scan.vectors; ++i)
      scan_async(vector_of(scan, i), before, scan.accuracy, queue);
    return;
  }
  require_reachable("the array", scan.x.data(), device);
  require_reachable("the output", scan.out.data(), device);
  if (queue.status != nullptr) require_reachable("the status", queue.status, device);
  launch(scan, before, {part_sums_in(state.scan), reinterpret_cast<unsigned long long*>(queue.status)},
         state.limits.multiprocessors, static_cast<cudaStream_t>(queue.stream));
}

}  // namespace foldline::cuda
