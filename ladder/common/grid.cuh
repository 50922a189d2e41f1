// Grids that fill the GPU once.
#pragma once

#include <cstdint>

#include "runner/launch.cuh"

namespace foldline::ladder {

/// Blocks of which all run at the same time, 2048 threads a multiprocessor, or as many as it takes to have a
/// thread for each of the items.
inline std::int64_t resident_blocks(std::int64_t items, int block) {
  return min(blocks_for(items, block), std::int64_t{multiprocessors()} * (2048 / block));
}

}  // namespace foldline::ladder
