// Scans of data in host memory.
#pragma once

#include "contract/backend.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Queues the two-pass scan of vectors that the device can access. `done` elements of the whole scan come
/// before.
void scan_on_device(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, std::int64_t done);

/// Scans vectors in host memory, which are copied to the device and back piece by piece in the resources'
/// stream.
void scan_host_data(const Scan& scan, Resources& resources);

}  // namespace foldline::cuda
