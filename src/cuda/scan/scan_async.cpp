// Asynchronous scans on a GPU: pipelines as far as they get, and a launch that scans what they left.
#include <algorithm>

#include "contract/async_backend.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/scan/scan_host_data.hpp"
#include "cuda/workspace/workspace_state.hpp"

namespace foldline::cuda {

namespace {

Scan part_of(const Scan& scan, std::int64_t first, std::int64_t count) {
  Scan part = scan;
  part.x = scan.x.part(first, count);
  part.out = scan.out.part(first, count);
  return part;
}

}  // namespace

std::int64_t elements_before_pipelines(const Scan& scan, const ScanQueue& queue) {
  return std::max<std::int64_t>(queue.has_pipelines ? elements_before_pipeline(scan) : -1, 0);
}

void queue_scan(const Scan& scan, const ScanCarry* before, Accuracy accuracy, const ScanQueue& queue) {
  const std::int64_t size = scan.x.size();
  const std::int64_t unaligned = queue.has_pipelines ? elements_before_pipeline(scan) : -1;
  if (unaligned != 0) {  // a two-pass scan comes first
    if (before != nullptr) {
      ScanCarry carry = *before;
      carry.scanned = std::max<std::int64_t>(unaligned, 0);
      launch_set_carry(carry, queue.workspace, queue.stream);
    }
    scan_on_device(unaligned < 0 ? scan : part_of(scan, 0, unaligned), queue.workspace, queue.stream, 0);
    if (queue.status != nullptr) launch_report_overflow(queue.workspace, queue.status, queue.stream);
    if (unaligned < 0) return;
  }
  bool may_leave_some = false;
  for (std::int64_t done = unaligned; done < size;) {
    const Scan rest = part_of(scan, done, size - done);
    const PipelineLaunch launch = {.workspace = queue.workspace,
                                   .stream = queue.stream,
                                   .done = done,
                                   .multiprocessors = queue.multiprocessors,
                                   .before = done == 0 ? before : nullptr,
                                   .after = nullptr,
                                   .status = queue.status,
                                   .fast = accuracy == Accuracy::fast};
    done += launch_pipeline(rest, launch);
    may_leave_some |= !scans_all_elements(scan, launch);
  }
  if (may_leave_some) launch_scan_to_floats(scan, queue.workspace, queue.stream, /*rest=*/true);
}

void scan_async(const Scan& scan, const ScanState& before, Accuracy accuracy, const async::Queue& queue) {
  if (scan.x.size() == 0) return;
  const int device = queue.workspace->device().index;
  const DeviceGuard guard(device);
  require_reachable("vector x", scan.x.data(), device);
  require_reachable("vector out", scan.out.data(), device);
  if (queue.status != nullptr) require_reachable("the status", queue.status, device);

  const auto& state = state_of(*queue.workspace);
  const bool is_checked = !is_floating(scan.out.type()) && scan.overflow == Overflow::error;
  const ScanCarry carry = carry_of(before);
  queue_scan(scan, &carry, accuracy,
             {.workspace = state.scan,
              .stream = static_cast<cudaStream_t>(queue.stream),
              .has_pipelines = state.has_pipelines,
              .multiprocessors = state.limits.multiprocessors,
              .status = is_checked ? reinterpret_cast<unsigned long long*>(queue.status) : nullptr});
}

}  // namespace foldline::cuda
