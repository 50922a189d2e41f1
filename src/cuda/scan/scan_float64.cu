// Pipelines of doubles.
#include "cuda/scan/scan_fast_op.cuh"
#include "cuda/scan/scan_floats_op.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_pipeline_as<ElementType::float64>(const Scan& scan, const PipelineLaunch& launch) {
  return is_fast(launch) ? launch_pipeline_of<FastScan<double>>(scan, launch)
                         : launch_pipeline_of<ScanOfFloats<double>>(scan, launch);
}

}  // namespace foldline::cuda
