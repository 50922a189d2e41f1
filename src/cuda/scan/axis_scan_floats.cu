// Scans along an axis of floating-point numbers, to their own type.
#include "cuda/scan/axis_scan_kernel.cuh"

namespace foldline::cuda {

void launch_axis_scan_of_floats(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  switch (task.type) {
    case ElementType::float64:
      return launch_axis_scan<SameFloats<ElementType::float64>>(task, start, stream);
    case ElementType::float32:
      return launch_axis_scan<SameFloats<ElementType::float32>>(task, start, stream);
    case ElementType::half:
      return launch_axis_scan<SameFloats<ElementType::half>>(task, start, stream);
    default:
      return launch_axis_scan<SameFloats<ElementType::bfloat16>>(task, start, stream);
  }
}

}  // namespace foldline::cuda
