// Scans of data in the host's memory.
#pragma once

#include "contract/backend.hpp"
#include "cuda/scan/launch_scan.hpp"
#include "cuda/workspace/resources.hpp"

namespace foldline::cuda {

/// Queues the scan of vectors that the device can reach. The first element is number `done` of the whole.
void scan_on_device(const Scan& scan, ScanWorkspace* workspace, cudaStream_t stream, std::int64_t done);

/// Scans vectors of the host, which go to the device and back piece by piece, in the stream of the resources.
void scan_host_data(const Scan& scan, Resources& resources);

}  // namespace foldline::cuda
