/// @file
/// How fast a GPU's memory is: what no reduction or scan of data there can exceed.
#pragma once

#include "foldline/device.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// Bytes moved per second, in GB/s (1e9 bytes): medians of several runs over an array that is far larger than
/// the caches.
struct GpuBandwidth {
  double read;  ///< every byte read once, by a kernel that does little else
  double copy;  ///< every byte read once and written once, by the driver's copy; both counted
};

/// Measures it, in some 20 ms, with at most 2 GiB of the GPU's memory or an eighth of it. Throws
/// InvalidArgument if there is no such GPU, and DeviceError if it fails, as when its memory is full.
[[nodiscard]] FOLDLINE_API GpuBandwidth measure_bandwidth(const Device& gpu);

}  // namespace foldline
