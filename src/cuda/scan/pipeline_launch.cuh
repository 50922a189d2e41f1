// The kernels of pipelines and single-wave scans, and their launch.
#pragma once

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/programmatic_launch.hpp"
#include "cuda/scan/scan_pipeline.cuh"
#include "cuda/scan/single_wave_scan.cuh"

namespace foldline::cuda {

inline constexpr int helper_threads = 96;

template <class Op>
__global__ void __launch_bounds__(Op::threads + helper_threads, 1)
    scan_in_pipeline([[maybe_unused]] const __grid_constant__ PipelineJob job) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  const Pipeline<Op> pipeline{job, *reinterpret_cast<typename Pipeline<Op>::Shared*>(memory)};
  if (threadIdx.x == 0) pipeline.make_barriers();
  wait_for_previous_launch();
  __syncthreads();
  constexpr int consumers = Op::threads / 32;
  if (warp() == consumers) {
    pipeline.load_tiles();
    allow_dependent_launch();
  } else if (warp() == consumers + 1) {
    pipeline.publish_sums();
  } else if (warp() == consumers + 2) {
    pipeline.find_prefixes();
  } else {
    pipeline.reduce_and_scan();
  }
#endif
}

template <class Op, int Rounds>
__global__ void __launch_bounds__(single_wave_threads, 1)
    single_wave_scan([[maybe_unused]] const __grid_constant__ PipelineJob job) {
#if __CUDA_ARCH__ >= 900
  using Scan = SingleWaveScan<Op, Rounds>;
  __shared__ typename Scan::Memory memory;
  wait_for_previous_launch();
  allow_dependent_launch();
  Scan{job, memory}.run();
#endif
}

/// Launches a scan kernel with `memory` bytes of dynamic shared memory, cooperatively: all blocks must be
/// resident.
template <class Kernel>
void launch_scan_kernel(Kernel* kernel, int blocks, int threads, std::size_t memory, void** arguments,
                        cudaStream_t stream) {
  if (memory != 0)
    set_max_dynamic_shared_memory(reinterpret_cast<const void*>(kernel), static_cast<int>(memory));
  launch_programmatically(reinterpret_cast<const void*>(kernel),
                          {.blocks = dim3(static_cast<unsigned>(blocks)),
                           .threads = dim3(static_cast<unsigned>(threads)),
                           .shared_bytes = memory,
                           .stream = stream,
                           .cooperative = true},
                          arguments, "starting a scan");
}

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

/// Calls launch_rounds.operator()<Rounds>(job) for a single-wave scan of type T, with the fewest rounds for
/// which all tiles are resident.
template <class T, int Rounds = 1, class LaunchRounds>
void in_fewest_rounds(const Scan& scan, const PipelineLaunch& launch, const LaunchRounds& launch_rounds) {
  constexpr std::int64_t tile_elements = single_wave_tile_bytes<Rounds> / sizeof(T);
  static_assert(single_wave_tile_bytes<Rounds> <= single_wave_bytes);
  if constexpr (single_wave_tile_bytes<Rounds> < single_wave_bytes)
    if (scan.x.size() > tile_elements * launch.multiprocessors)
      return in_fewest_rounds<T, 2 * Rounds>(scan, launch, launch_rounds);
  launch_rounds.template operator()<Rounds>(pipeline_job(scan, launch, scan.x.size(), tile_elements));
}

template <class Op>
void launch_single_wave(const Scan& scan, const PipelineLaunch& launch) {
  in_fewest_rounds<typename Op::Element>(scan, launch, [&]<int Rounds>(PipelineJob job) {
    void* arguments[] = {&job};
    launch_scan_kernel(&single_wave_scan<Op, Rounds>, job.tiles, single_wave_threads, 0, arguments,
                       launch.stream);
  });
}

/// Launches a pipeline over as many elements as one launch takes. Returns how many; the carry says afterwards
/// how many were scanned.
template <class Op>
std::int64_t launch_pipeline_of(const Scan& scan, const PipelineLaunch& launch) {
  constexpr std::int64_t tile_elements = Op::threads * Op::vec16s * 16 / sizeof(typename Op::Element);
  static_assert(max_pipeline_tiles * tile_elements >= elements_of_pipeline);
  static_assert(pipeline_bytes<Op> <= 227 << 10);  // limit of compute capability 9.0
  const std::int64_t count = std::min(scan.x.size(), max_pipeline_tiles * tile_elements);
  PipelineJob job = pipeline_job(scan, launch, count, tile_elements);
  void* arguments[] = {&job};
  launch_scan_kernel(&scan_in_pipeline<Op>, std::min(job.tiles, launch.multiprocessors),
                     Op::threads + helper_threads, pipeline_bytes<Op>, arguments, launch.stream);
  return count;
}

/// The same, or a SingleWave scan of all elements if they fit.
template <class Op, class SingleWave>
std::int64_t launch_scan_of(const Scan& scan, const PipelineLaunch& launch) {
  if (!fits_single_wave(scan, launch)) return launch_pipeline_of<Op>(scan, launch);
  launch_single_wave<SingleWave>(scan, launch);
  return scan.x.size();
}

}  // namespace foldline::cuda
