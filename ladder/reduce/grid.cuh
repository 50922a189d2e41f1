// Grids that fill the GPU once.
#pragma once

#include <cstdint>

#include "runner/launch.cuh"

namespace foldline::ladder::reduce {

/// Blocks of which all run at the same time, 2048 threads a multiprocessor; fewer if each thread would not
/// have 16 bytes.
inline std::int64_t resident_blocks(std::int64_t n, int block) {
  return min(blocks_for(n, std::int64_t{4} * block), std::int64_t{multiprocessors()} * (2048 / block));
}

}  // namespace foldline::ladder::reduce
