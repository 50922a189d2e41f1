// Grids for kernels whose threads go on with grid stride.
#pragma once

#include <cstdint>

#include "runner/launch.cuh"

namespace foldline::ladder {

/// As many blocks as are resident at once (2048 threads per multiprocessor), or fewer if that suffices for
/// one thread per item.
inline std::int64_t resident_blocks(std::int64_t items, int block) {
  return min(blocks_for(items, block), std::int64_t{multiprocessors()} * (2048 / block));
}

/// As many blocks as n fills, but at least one.
inline std::int64_t whole_blocks(std::int64_t n, int block) { return max(n / block, std::int64_t{1}); }

}  // namespace foldline::ladder
