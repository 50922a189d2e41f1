// What latencies.cu measures, in the order of its results.
#pragma once

namespace foldline::ladder::memory {

enum Kind {
  registers,
  shared,
  constant,
  texture,
  local,
  global_in_l1,
  global_in_l2,
  global_in_memory,
  count
};

/// A ring of 256 MiB, and a stride that is no multiple of a page or line: 33 lines of 128 bytes.
constexpr int large_ring_size = 1 << 26, large_stride = 33 * 32;

}  // namespace foldline::ladder::memory
