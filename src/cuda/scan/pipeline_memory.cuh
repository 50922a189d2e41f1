// The parameters of the pipeline kernel (scan_pipeline.cuh), and the shared memory of its blocks.
#pragma once

#include <algorithm>
#include <cstddef>

#include "cuda/scan/launch_scan.hpp"
#include "cuda/scan/scan_workspace.cuh"
#include "cuda/scan/tile_status.cuh"

namespace foldline::cuda {

/// The parameters of a launch; see PipelineLaunch.
struct PipelineJob {
  const std::byte* x;
  std::byte* out;
  std::int64_t count;
  std::int64_t done;
  ScanWorkspace* workspace;
  ScanCarry* after;
  unsigned long long* status;
  int tiles;
  bool exclusive, checked;
  bool continues;  // the initial carry is in the workspace, not in `before`
  ScanCarry before;
  bool begins_at_zero;  // the limbs of `before` are zero
};

/// The job of scanning the first `count` elements.
inline PipelineJob pipeline_job(const Scan& scan, const PipelineLaunch& launch, std::int64_t count,
                                std::int64_t tile_elements) {
  return {scan.x.at(0),
          scan.out.at(0),
          count,
          launch.done,
          launch.workspace,
          launch.after != nullptr ? launch.after : carry_in(launch.workspace),
          launch.status,
          static_cast<int>((count - 1) / tile_elements + 1),
          scan.exclusive,
          scan.overflow == Overflow::error,
          launch.before == nullptr,
          launch.before != nullptr ? *launch.before : ScanCarry{},
          launch.before != nullptr && std::all_of(launch.before->row, launch.before->row + nan_row,
                                                  [](std::int64_t limb) { return limb == 0; })};
}

/// Reports that the type of this launch's result `i` cannot hold it.
__device__ inline void report_overflow(const PipelineJob& job, std::int64_t i) {
  const std::int64_t index = job.done + i;
  if (job.status != nullptr) {
    atomicMax(job.status, ~static_cast<unsigned long long>(index));
  } else {
    atomicMin(&job.workspace->overflow, static_cast<long long>(index));
    job.after->overflow = index;
  }
}

template <class Op>
struct PipelineStage {
  static constexpr int warps = Op::threads / 32;
  typename Op::Total total[warps];
  typename Op::Sum of_warps[warps];  // sum of the warps before each
  typename Op::Prefix prefix[warps];
  typename Op::Sum sum;
  bool failed;
  Barrier full, empty, reduced, published, ready;
};
/// What all warps of a block must know before they scan: the window and the launch's number.
template <class Op>
struct PipelineOpening {
  typename Op::Window window;
  std::uint64_t number;  // number of the launch, unique per workspace
  unsigned epoch;
  Barrier barrier;
  unsigned sample[Op::threads / 32];  // the largest sample of each warp
  Barrier sampled;

#if __CUDA_ARCH__ >= 900
  /// Waits until the window is known.
  __device__ __forceinline__ const typename Op::Window& wait() {
    barrier.wait(0);
    return window;
  }
#endif
};
template <class Op>
struct PipelineMemory {
  alignas(128) std::byte tile[Op::stages][Op::threads * Op::vec16s * 16];
  PipelineStage<Op> stage[Op::stages];
  PipelineOpening<Op> opening;
  int end;  // number of the block's tiles that are scanned
};

template <class Op>
inline constexpr std::size_t pipeline_bytes = sizeof(PipelineMemory<Op>);

}  // namespace foldline::cuda
