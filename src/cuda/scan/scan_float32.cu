// Pipelines of floats.
#include "cuda/scan/scan_fast_op.cuh"
#include "cuda/scan/scan_floats_op.cuh"

namespace foldline::cuda {

template <>
std::int64_t launch_pipeline_as<ElementType::float32>(const Scan& scan, const PipelineLaunch& launch) {
  return is_fast(launch) ? launch_pipeline_of<FastScan<float>>(scan, launch)
                         : launch_pipeline_of<ScanOfFloats<float>>(scan, launch);
}

}  // namespace foldline::cuda
