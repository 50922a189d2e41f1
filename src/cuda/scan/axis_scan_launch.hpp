// Launches of scans along an axis.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/scan/axis_scan_task.hpp"

namespace foldline::cuda {

struct ScanWorkspace;
/// Memory for the sums of parts, in that of scans.
PartSums* part_sums_in(ScanWorkspace* workspace);

// Launch the kernels, one or three.
void launch_axis_scan_of_floats(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream);
/// With floating-point results, of any elements.
void launch_axis_scan_of_any(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream);
void launch_axis_scan_of_integers(const AxisScanTask& task, const ScanStart& start, cudaStream_t stream);

}  // namespace foldline::cuda
