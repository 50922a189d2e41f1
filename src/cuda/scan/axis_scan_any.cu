// Scans along an axis of any other elements.
#include "cuda/scan/axis_scan_kernel.cuh"

namespace foldline::cuda {

PartSums* part_sums_in(ScanWorkspace* workspace) {
  static_assert(sizeof(PartSums) <= sizeof workspace->tile_row);
  return reinterpret_cast<PartSums*>(workspace->tile_row);
}

void launch_axis_scan_of_any(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  launch_axis_scan<AnyToFloats>(task, start, stream);
}
void launch_axis_scan_of_integers(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream) {
  launch_axis_scan<Integers>(task, start, stream);
}

}  // namespace foldline::cuda
