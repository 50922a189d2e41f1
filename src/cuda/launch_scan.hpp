// The kernels of scans, as plain functions: what the rest of the backend knows of them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "backend.hpp"
#include "cuda/scan_carry.hpp"

namespace foldline::cuda {

struct ScanWorkspace;
extern const std::size_t scan_workspace_bytes;

/// The carry in a workspace, which launches read and leave behind.
ScanCarry* carry_in(ScanWorkspace* workspace);

/// A scan of vectors that the device can reach.
struct ScanLaunch {
  ScanWorkspace* workspace;
  cudaStream_t stream;
  std::int64_t done;  // elements before; the first of `scan` is number `done`, for reports of overflow
};

/// Starts the scan of the first elements, as many as one launch takes, in tiles that are read twice. Returns
/// how many; size > 0. One for results that are floating-point numbers, one for integers.
std::int64_t launch_scan_to_floats(const Scan& scan, const ScanLaunch& launch);
std::int64_t launch_scan_to_integers(const Scan& scan, const ScanLaunch& launch);

}  // namespace foldline::cuda
