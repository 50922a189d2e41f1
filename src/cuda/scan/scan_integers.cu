// Pipelines of integers; and whether a device can run pipelines.
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/properties.hpp"
#include "cuda/scan/scan_integers_op.cuh"

namespace foldline::cuda {

bool has_pipelines() {
  // The kernel has no body in code for older architectures, whatever the device is.
  cudaFuncAttributes code = {};
  check(cudaFuncGetAttributes(&code, scan_in_pipeline<ScanOfIntegers<std::int32_t>>),
        "asking for a kernel's properties");
  constexpr int bytes = 227 << 10;  // of compute capability 9.0 and 10.0; pipelines need most of them
  return code.ptxVersion >= 90 && max_shared_memory_per_block() >= bytes;
}

template <>
std::int64_t launch_pipeline_as<ElementType::int32>(const Scan& scan, const PipelineLaunch& launch) {
  return launch_pipeline_of<ScanOfIntegers<std::int32_t>>(scan, launch);
}
template <>
std::int64_t launch_pipeline_as<ElementType::uint32>(const Scan& scan, const PipelineLaunch& launch) {
  return launch_pipeline_of<ScanOfIntegers<std::uint32_t>>(scan, launch);
}
template <>
std::int64_t launch_pipeline_as<ElementType::int64>(const Scan& scan, const PipelineLaunch& launch) {
  return launch_pipeline_of<ScanOfIntegers<std::int64_t>>(scan, launch);
}
template <>
std::int64_t launch_pipeline_as<ElementType::uint64>(const Scan& scan, const PipelineLaunch& launch) {
  return launch_pipeline_of<ScanOfIntegers<std::uint64_t>>(scan, launch);
}

}  // namespace foldline::cuda
