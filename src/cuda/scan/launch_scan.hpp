// Launch functions of the scan kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "contract/scan.hpp"
#include "cuda/scan/scan_carry.hpp"

namespace foldline::cuda {

struct ScanWorkspace;
extern const std::size_t scan_workspace_bytes;

/// The carry in a workspace, which two-pass launches read and update.
ScanCarry* carry_in(ScanWorkspace* workspace);
/// The index of the first overflow in pipelines; no_result if there is none.
long long* overflow_in(ScanWorkspace* workspace);

/// Initialises the memory of a workspace.
void clear_scan_workspace(ScanWorkspace* workspace);

/// A scan of vectors that the device can access.
struct ScanLaunch {
  ScanWorkspace* workspace;
  cudaStream_t stream;
  std::int64_t done;  // elements before `scan` in the whole scan, for reports of overflow
};

/// Launches the two-pass scan, with integer results, of as many elements as one launch takes. Returns how
/// many; size > 0.
std::int64_t launch_scan_to_integers(const Scan& scan, const ScanLaunch& launch);
/// Launches the two-pass scan, with floating-point results, of all elements; size > 0. With `rest`, only of
/// the elements that pipelines left: the carry in the workspace has their number.
void launch_scan_to_floats(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, bool rest);

/// A scan of contiguous vectors of one type, aligned to 16 bytes.
struct PipelineLaunch {
  ScanWorkspace* workspace;
  cudaStream_t stream;
  std::int64_t done;
  int multiprocessors;
  /// The carry before; null if it is in the workspace. In that case the launch does nothing unless the
  /// previous launches scanned all of their elements.
  const ScanCarry* before;
  /// Where to store the carry afterwards, in pinned memory; null for the workspace.
  ScanCarry* after;
  /// Overflow sets *status to max(*status, ~i), i the index of the first result that its type cannot hold.
  /// Null: it is reported in the workspace.
  unsigned long long* status;
  /// Accuracy::fast: results need not be correctly rounded.
  bool fast;
};

/// Stores the initial carry in the workspace, for asynchronous scans that do not start with a pipeline.
void launch_set_carry(const ScanCarry& carry, ScanWorkspace* workspace, cudaStream_t stream);
/// Reports an overflow recorded in the workspace of an asynchronous integer scan: *status = max(*status, ~i),
/// i the index of the first result that its type cannot hold.
void launch_report_overflow(ScanWorkspace* workspace, unsigned long long* status, cudaStream_t stream);

/// Every pipeline can take at least this many elements in a launch.
inline constexpr std::int64_t elements_of_pipeline = std::int64_t{1} << 28;
/// True if the current device can run pipelines.
bool has_pipelines();
/// Launches a pipeline over as many elements as one launch takes. Returns how many. `after->scanned` says how
/// many were scanned, including `done`: pipelines of floating-point numbers stop at the first tile that fits
/// no window or, in fast scans of doubles, might overflow. `after->overflow` is set if any result overflowed,
/// not necessarily to the first. There are pipelines for float32, float64 and 32- and 64-bit integers.
template <ElementType Type>
std::int64_t launch_pipeline_as(const Scan& scan, const PipelineLaunch& launch);
/// Launches a single-wave scan of all elements; see fits_single_wave.
template <ElementType Type>
void launch_single_wave_as(const Scan& scan, const PipelineLaunch& launch);
/// Launches a single-wave scan if it fits, else a pipeline, for x's type. Returns as launch_pipeline_as does.
std::int64_t launch_pipeline(const Scan& scan, const PipelineLaunch& launch);
/// Launches a kernel of either with so many bytes of dynamic shared memory, cooperatively: all blocks must be
/// resident.
void launch_scan_kernel(const void* kernel, int blocks, int threads, std::size_t memory, void** arguments,
                        cudaStream_t stream);
/// True if a launch rounds at every addition: Accuracy::fast, and the sum before is zero.
bool is_fast(const PipelineLaunch& launch);
/// Bytes of a single-wave scan per multiprocessor, at most.
inline constexpr int single_wave_bytes = 128 << 10;
/// Limits a single-wave scan to 2^24 elements.
inline constexpr int max_single_wave_blocks = 512;
/// True if a launch is a single-wave scan (single_wave_scan.cuh, single_wave_exact.cuh): the first launch of
/// a scan, with nothing before it if results are floating-point numbers, whose elements fit in the
/// multiprocessors' registers.
bool fits_single_wave(const Scan& scan, const PipelineLaunch& launch);
/// True if the launch never leaves elements to the two-pass scan.
bool scans_all_elements(const Scan& scan, const PipelineLaunch& launch);
/// Elements before the first 16-byte boundary, which pipelines cannot take; -1 if no pipeline can scan the
/// vectors.
std::int64_t elements_before_pipeline(const Scan& scan);

/// Where a scan is queued.
struct ScanQueue {
  ScanWorkspace* workspace;
  cudaStream_t stream;
  bool has_pipelines;
  int multiprocessors;
  unsigned long long* status;  // see PipelineLaunch; null if overflow is not reported
};
/// Queues a scan of vectors that the device reaches; size > 0. The carry before is `before`, or if that is
/// null the one in the workspace, of which `scanned` must be elements_before_pipelines().
void queue_scan(const Scan& scan, const ScanCarry* before, Accuracy accuracy, const ScanQueue& queue);
/// Elements that such a scan leaves to a two-pass scan at its beginning.
std::int64_t elements_before_pipelines(const Scan& scan, const ScanQueue& queue);

}  // namespace foldline::cuda
