// Grids that fill the GPU once.
#pragma once

#include <cstdint>

#include "runner/launch.cuh"

namespace foldline::ladder {

/// As many blocks as are resident at once (2048 threads per multiprocessor), or fewer if that suffices for
/// one thread per item.
inline std::int64_t resident_blocks(std::int64_t items, int block) {
  return min(blocks_for(items, block), std::int64_t{multiprocessors()} * (2048 / block));
}

}  // namespace foldline::ladder
