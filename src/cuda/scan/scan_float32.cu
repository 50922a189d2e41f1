// Pipelines and single-wave scans of floats.
#include "cuda/scan/at_once_fast.cuh"
#include "cuda/scan/exact_at_once.cuh"
#include "cuda/scan/pipeline_launch.cuh"
#include "cuda/scan/scan_fast_op.cuh"
#include "cuda/scan/scan_floats_op.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_pipeline_as<ElementType::float32>(const Scan& scan, const PipelineLaunch& launch) {
  if (!is_fast(launch) && goes_at_once(scan, launch)) {
    launch_exactly_at_once<float>(scan, launch);
    return scan.x.size();
  }
  return is_fast(launch) ? launch_scan_of<FastScan<float>, FastAtOnce<float>>(scan, launch)
                         : launch_pipeline_of<ScanOfFloats<float>>(scan, launch);
}

}  // namespace foldline::cuda
