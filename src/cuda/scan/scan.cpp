// Synchronous scans on a GPU: locates the data, and launches until all is scanned.
#include <algorithm>

#include "contract/backend.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/memory_space.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/scan/scan_host_data.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

namespace {

/// A scan in progress: what is left, and the sum of what is done.
class Progress {
 public:
  Progress(const Scan& scan, bool fast, Resources& resources, cudaStream_t stream, ScanState& state)
      : rest_(scan), fast_(fast), resources_(resources), stream_(stream), state_(state) {}

  /// Scans vectors in device memory: a two-pass scan up to the first 16-byte boundary, then pipelines if they
  /// support the vectors, until data comes that they cannot take; then a two-pass scan of the rest.
  std::int64_t run_on_device() {
    const std::int64_t unaligned = resources_.has_scan_pipelines ? elements_before_pipeline(rest_) : -1;
    if (unaligned >= 0) {
      run_in_tiles(unaligned);
      while (rest_.x.size() > 0 && run_pipeline()) continue;
    }
    run_in_tiles(rest_.x.size());
    return overflow_;
  }

  std::int64_t run_on_host() {
    with_carry([this] { scan_host_data(rest_, resources_); }, rest_.x.size());
    return overflow_;
  }

 private:
  /// Two-pass scan of the next `count` elements.
  void run_in_tiles(std::int64_t count) {
    if (count == 0) return;
    Scan part = rest_;
    part.x = rest_.x.part(0, count);
    part.out = rest_.out.part(0, count);
    with_carry([&] { scan_on_device(part, resources_.scan_workspace, stream_, done_); }, count);
  }

  /// Runs launches that scan `count` elements and keep the carry in the workspace.
  template <class Launches>
  void with_carry(const Launches& launches, std::int64_t count) {
    ScanCarry* const there = carry_in(resources_.scan_workspace);
    const ScanCarry before = carry_of(state_);
    *resources_.scan_carry = before;
    check(cudaMemcpyAsync(there, resources_.scan_carry, sizeof before, cudaMemcpyHostToDevice, stream_),
          "copying to the device");
    launches();
    check(cudaMemcpyAsync(resources_.scan_carry, there, sizeof before, cudaMemcpyDeviceToHost, stream_),
          "copying from the device");
    check(cudaStreamSynchronize(stream_), "a scan");
    advance(before, count);
  }

  /// Returns true if the launch scanned all elements that it took.
  bool run_pipeline() {
    const ScanCarry before = carry_of(state_);
    ScanCarry& after = *resources_.scan_carry;
    after = before;
    const std::int64_t started =
        launch_pipeline(rest_, {resources_.scan_workspace, stream_, done_, resources_.multiprocessors,
                                &before, resources_.scan_carry, nullptr, fast_});
    check(cudaStreamSynchronize(stream_), "a scan");
    if (after.overflow != no_result) take_overflow(after);
    const std::int64_t scanned = after.scanned - done_;
    advance(before, scanned);
    return scanned == started;
  }

  /// Replaces the index of some overflow by that of the first.
  void take_overflow(ScanCarry& after) {
    long long* const there = overflow_in(resources_.scan_workspace);
    long long first = 0;
    const long long none = no_result;
    check(cudaMemcpyAsync(&first, there, sizeof first, cudaMemcpyDeviceToHost, stream_),
          "copying from the device");
    check(cudaMemcpyAsync(there, &none, sizeof none, cudaMemcpyHostToDevice, stream_),
          "copying to the device");
    check(cudaStreamSynchronize(stream_), "copying from the device");
    after.overflow = first;
  }

  void advance(const ScanCarry& before, std::int64_t count) {
    const ScanCarry& after = *resources_.scan_carry;
    add_to_state(before, after, !is_floating(rest_.out.type()), state_);
    overflow_ = std::min(overflow_, after.overflow);
    rest_.x = rest_.x.part(count, rest_.x.size() - count);
    rest_.out = rest_.out.part(count, rest_.out.size() - count);
    done_ += count;
  }

  Scan rest_;
  bool fast_;
  Resources& resources_;
  cudaStream_t stream_;
  ScanState& state_;
  std::int64_t done_ = 0, overflow_ = no_result;
};

}  // namespace

void scan_on_device(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, std::int64_t done) {
  if (scan.x.size() > 0 && is_floating(scan.out.type()))
    return launch_scan_to_floats(scan, workspace, stream, /*rest=*/false);
  Scan rest = scan;
  while (rest.x.size() > 0) {
    const std::int64_t count = launch_scan_to_integers(rest, {workspace, stream, done});
    rest.x = rest.x.part(count, rest.x.size() - count);
    rest.out = rest.out.part(count, rest.out.size() - count);
    done += count;
  }
}

std::int64_t scan(const Scan& scan, const Plan& plan, void* stream, ScanState& state) {
  if (scan.x.size() == 0) return no_result;
  // Adding elements to a sum of 126 bits cannot overflow 128 bits. A larger sum can only wrap.
  if (!is_floating(scan.out.type()) && scan.overflow == Overflow::error && state.prefix.bound() > 126)
    return 0;
  const int device = plan.device.index;
  const DeviceGuard guard(device);
  const MemorySpace space = memory_space_of(scan.x.data(), device);
  require_same_memory_space(space, memory_space_of(scan.out.data(), device));

  const Lease lease(device);
  Resources& resources = *lease.operator->();
  resources.make_scan_workspace();
  const bool fast = plan.accuracy == Accuracy::fast;
  if (space == MemorySpace::device)
    return Progress(scan, fast, resources, static_cast<cudaStream_t>(stream), state).run_on_device();
  resources.make_staging();
  return Progress(scan, fast, resources, resources.stream, state).run_on_host();
}

}  // namespace foldline::cuda
