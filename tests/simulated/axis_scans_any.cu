// The kernels of scans along an axis, of any elements.
#include "kernel_words.hpp"

#include "cuda/scan/axis_scan_kernel.cuh"

namespace foldline::cuda {

void launch_axis_scan_of_any(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  launch_axis_scan<AnyToFloats>(task, start, stream);
}
void launch_axis_scan_of_integers(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  launch_axis_scan<Integers>(task, start, stream);
}

}  // namespace foldline::cuda
