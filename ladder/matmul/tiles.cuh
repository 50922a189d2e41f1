// Common to all rungs: the tile of C of a block, and elements that are 0 outside the matrix.
#pragma once

#include <cstdint>

#include "matmul/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::matmul {

/// The grid of tiles that covers C, one block each.
template <class T>
std::int64_t tiles_of(const Product<T>& p, int height, int width) {
  return blocks_for(p.rows, height) * blocks_for(p.columns, width);
}

/// The first row and column of a tile.
struct Place {
  int row, column;
};

/// The tile of this block. Blocks proceed through C row by row.
template <class T>
__device__ Place tile_of_block(const Product<T>& p, int height, int width) {
  const int across = (p.columns + width - 1) / width, block = static_cast<int>(blockIdx.x);
  return {block / across * height, block % across * width};
}

/// Elements outside the matrix are 0 and add nothing, so every thread takes every step and reaches every
/// barrier.
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
