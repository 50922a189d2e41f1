// Pipelines and single-wave scans of doubles.
#include "cuda/scan/pipeline_launch.cuh"
#include "cuda/scan/scan_fast_op.cuh"
#include "cuda/scan/scan_floats_op.cuh"
#include "cuda/scan/single_wave_exact.cuh"
#include "cuda/scan/single_wave_fast.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_pipeline_as<ElementType::float64>(const Scan& scan, const PipelineLaunch& launch) {
  if (!is_fast(launch) && fits_single_wave(scan, launch)) {
    launch_single_wave_exact<double>(scan, launch);
    return scan.x.size();
  }
  return is_fast(launch) ? launch_scan_of<FastScan<double>, SingleWaveFast<double>>(scan, launch)
                         : launch_pipeline_of<ScanOfFloats<double>>(scan, launch);
}

}  // namespace foldline::cuda
