// What all rungs share: which tile of C a block makes, and elements that are 0 beyond the ends of a matrix.
#pragma once

#include <cstdint>

#include "matmul/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::matmul {

/// Tiles that cover C, a block for each.
template <class T>
std::int64_t tiles_of(const Product<T>& p, int height, int width) {
  return blocks_for(p.rows, height) * blocks_for(p.columns, width);
}

/// Where a tile begins.
struct Place {
  int row, column;
};

/// The tile of this block. Blocks go through C row by row.
template <class T>
__device__ Place tile_of_block(const Product<T>& p, int height, int width) {
  const int across = (p.columns + width - 1) / width, block = static_cast<int>(blockIdx.x);
  return {block / across * height, block % across * width};
}

/// What lies beyond the ends counts as 0, which adds nothing: so every thread takes every step, and comes to
/// every barrier.
template <class T>
__device__ T a_at(const Product<T>& p, int row, int i) {
  return row < p.rows && i < p.inner ? p.a[std::int64_t{row} * p.inner + i] : T{0};
}
template <class T>
__device__ T b_at(const Product<T>& p, int i, int column) {
  return i < p.inner && column < p.columns ? p.b[std::int64_t{i} * p.columns + column] : T{0};
}
template <class T>
__device__ void set_c(const Product<T>& p, int row, int column, T value) {
  if (row < p.rows && column < p.columns) p.c[std::int64_t{row} * p.columns + column] = value;
}

}  // namespace foldline::ladder::matmul
