// The kernels of scans, as plain functions: what the rest of the backend knows of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "contract/backend.hpp"
#include "cuda/scan/scan_carry.hpp"

namespace foldline::cuda {

struct ScanWorkspace;
extern const std::size_t scan_workspace_bytes;

/// The carry in a workspace, which launches that read tiles twice take and leave behind.
ScanCarry* carry_in(ScanWorkspace* workspace);
/// The first result that its type does not hold, of pipelines; no_result if there is none.
long long* overflow_in(ScanWorkspace* workspace);

/// Makes new memory a workspace.
void clear_scan_workspace(ScanWorkspace* workspace);

/// A scan of vectors that the device can reach.
struct ScanLaunch {
  ScanWorkspace* workspace;
  cudaStream_t stream;
  std::int64_t done;  // elements before; the first of `scan` is number `done`, for reports of overflow
};

/// Starts the scan of the first elements, as many as one launch takes, in tiles that are read twice, with
/// results that are integers. Returns how many; size > 0.
std::int64_t launch_scan_to_integers(const Scan& scan, const ScanLaunch& launch);
/// Starts the scan of all elements, in tiles that are read twice, with results that are floating-point
/// numbers; size > 0. With `rest`, of those that pipelines left: how many that is stands in the workspace's
/// carry.
void launch_scan_to_floats(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, bool rest);

/// A scan of contiguous vectors of one type, aligned to 16 bytes.
struct PipelineLaunch {
  ScanWorkspace* workspace;
  cudaStream_t stream;
  std::int64_t done;
  int multiprocessors;
  /// The carry before; null if it is the workspace's. Then the launch does nothing unless those before it
  /// scanned all of their elements.
  const ScanCarry* before;
  /// The carry afterwards, in pinned memory; null if it is the workspace's.
  ScanCarry* after;
  /// What becomes max(*status, ~i), i the first result that its type does not hold, if there is one; null if
  /// the workspace is told.
  unsigned long long* status;
  /// Whether results may be other than the correctly rounded ones.
  bool fast;
};

/// What a scan that nobody waits for begins with, if not by a pipeline: leaves the carry in the workspace.
void launch_begin(const ScanCarry& carry, ScanWorkspace* workspace, cudaStream_t stream);
/// What it ends with, for integers: *status = max(*status, ~i), i the first result that its type does
/// not hold, if the workspace was told of one.
void launch_report(ScanWorkspace* workspace, unsigned long long* status, cudaStream_t stream);

/// Elements that any pipeline takes in a launch, at least.
inline constexpr std::int64_t elements_of_pipeline = std::int64_t{1} << 28;
/// Whether the current device can run pipelines.
bool has_pipelines();
/// Starts a pipeline over the first elements, as many as one launch takes. Returns how many. `after` says how
/// many were scanned, with `done`: of floating-point numbers, those up to the first tile that fits no window
/// or, of fast scans of doubles, might leave the range. Its `overflow` is set if there was one in any place.
/// There are pipelines of float32, float64 and the integers of 32 and 64 bits.
template <ElementType Type>
std::int64_t launch_pipeline_as(const Scan& scan, const PipelineLaunch& launch);
/// The same for x's type.
std::int64_t launch_pipeline(const Scan& scan, const PipelineLaunch& launch);
/// Whether the results of a launch are rounded at every addition: if they may be, and it begins with nothing.
bool is_fast(const PipelineLaunch& launch);
/// Bytes of each multiprocessor's part of a scan at once, at most.
inline constexpr int bytes_at_once = 128 << 10;
/// So that there are no more than 2^24 elements.
inline constexpr int most_blocks_at_once = 512;
/// Whether a launch scans all elements at once (scan_at_once.cuh, exact_at_once.cuh): the first launch, of
/// floating-point numbers with nothing before it, and no more than the multiprocessors' registers hold.
bool goes_at_once(const Scan& scan, const PipelineLaunch& launch);
/// Whether a launch surely scans all elements that it takes.
bool takes_any_data(const Scan& scan, const PipelineLaunch& launch);
/// Elements before a pipeline can begin; -1 if there is none for such vectors.
std::int64_t elements_to_pipeline(const Scan& scan);

}  // namespace foldline::cuda
