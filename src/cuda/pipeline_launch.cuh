// The kernel of a pipeline, and how it is started.
#pragma once

#include "cuda/scan_pipeline.cuh"

namespace foldline::cuda {

inline constexpr int helper_threads = 96;

template <class Op>
__global__ void __launch_bounds__(Op::threads + helper_threads, 1)
    scan_in_pipeline([[maybe_unused]] const __grid_constant__ PipelineJob job) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  const Pipeline<Op> pipeline{job, *reinterpret_cast<typename Pipeline<Op>::Shared*>(memory)};
  if (threadIdx.x == 0) pipeline.make_barriers();
  __syncthreads();
  constexpr int consumers = Op::threads / 32;
  if (warp() == consumers)
    pipeline.load_tiles();
  else if (warp() == consumers + 1)
    pipeline.publish_sums();
  else if (warp() == consumers + 2)
    pipeline.find_starts();
  else
    pipeline.reduce_and_scan();
#endif
}

/// Starts the pipeline over the first elements, as many as one launch takes. Returns how many; those that
/// were scanned are in the carry afterwards. All blocks must run at a time, so the launch is a cooperative
/// one.
template <class Op>
std::int64_t launch_pipeline_of(const Scan& scan, const PipelineLaunch& launch) {
  using Element = typename Op::Element;
  constexpr std::int64_t tile_elements = Op::threads * Op::quads * 16 / sizeof(Element);
  static_assert(max_pipeline_tiles * tile_elements >= elements_of_pipeline);
  static_assert(pipeline_bytes<Op> <= 227 << 10);  // of compute capability 9.0
  const std::int64_t count = std::min(scan.x.size(), max_pipeline_tiles * tile_elements);
  const int tiles = static_cast<int>((count - 1) / tile_elements + 1);
  PipelineJob job{scan.x.at(0),
                  scan.out.at(0),
                  count,
                  launch.done,
                  launch.workspace,
                  launch.after != nullptr ? launch.after : carry_in(launch.workspace),
                  launch.status,
                  tiles,
                  scan.exclusive,
                  scan.overflow == Overflow::error,
                  launch.before == nullptr,
                  launch.before != nullptr ? *launch.before : ScanCarry{},
                  launch.before != nullptr && std::all_of(launch.before->row, launch.before->row + nan_row,
                                                          [](std::int64_t limb) { return limb == 0; })};
  check(cudaFuncSetAttribute(scan_in_pipeline<Op>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(pipeline_bytes<Op>)),
        "asking for shared memory");
  cudaLaunchAttribute cooperative = {};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(std::min(tiles, launch.multiprocessors)));
  config.blockDim = dim3(Op::threads + helper_threads);
  config.dynamicSmemBytes = pipeline_bytes<Op>;
  config.stream = launch.stream;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  void* arguments[] = {&job};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(&scan_in_pipeline<Op>), arguments),
        "starting a scan");
  return count;
}

}  // namespace foldline::cuda
