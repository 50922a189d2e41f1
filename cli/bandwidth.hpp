// How fast this machine's memory is.
#pragma once

namespace foldline::cli {

/// Bytes moved per second, in GB/s (1e9 bytes): medians of several runs with all threads, over arrays far
/// larger than the caches.
struct Bandwidth {
  double read;  ///< every byte read once
  double copy;  ///< every byte read once and written once, both counted
};

/// Takes about a second. Throws std::bad_alloc.
Bandwidth measure_bandwidth();

}  // namespace foldline::cli
