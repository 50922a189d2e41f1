// Idea: a block computes a tile of 128 x 128 entries; each of its 16 x 16 threads keeps a patch of 8 x 8 in
// registers, with rows and columns 16 apart, so that neighbouring threads read neighbouring elements.
// Fixes: sixteen elements from shared memory serve 64 multiply-adds rather than one for two, and an element
// from global memory is used 128 times.
// Limit: all threads wait while a tile is loaded, and for loads from shared memory of one element at a time.
// Patches of doubles take more than 128 registers, so only one block fits on a multiprocessor and no other
// can work meanwhile.
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int side = 16, patch = 8, tile_side = side * patch, depth = 16;

template <class T>
__global__ void __launch_bounds__(side* side) multiply_patches(Product<T> p) {
  __shared__ T a[tile_side][depth + 1], b[depth][tile_side];
  const int x = threadIdx.x, y = threadIdx.y, thread = y * side + x;
  const Place tile = tile_of_block(p, tile_side, tile_side);
  T sum[patch][patch] = {};
  for (int first = 0; first < p.inner; first += depth) {
#pragma unroll
    for (int e = thread; e < tile_side * depth; e += side * side) {
      const int a_row = e / depth, a_i = e % depth, b_i = e / tile_side, b_column = e % tile_side;
      a[a_row][a_i] = a_at(p, tile.row + a_row, first + a_i);
      b[b_i][b_column] = b_at(p, first + b_i, tile.column + b_column);
    }
    __syncthreads();
#pragma unroll 2
    for (int i = 0; i < depth; ++i) {
      T from_a[patch], from_b[patch];
#pragma unroll
      for (int k = 0; k < patch; ++k) {
        from_a[k] = a[y + k * side][i];
        from_b[k] = b[i][x + k * side];
      }
#pragma unroll
      for (int r = 0; r < patch; ++r)
#pragma unroll
        for (int c = 0; c < patch; ++c) sum[r][c] = fma(from_a[r], from_b[c], sum[r][c]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < patch; ++r)
#pragma unroll
    for (int c = 0; c < patch; ++c) set_c(p, tile.row + y + r * side, tile.column + x + c * side, sum[r][c]);
}

}  // namespace

template <class T>
void patches_in_registers(Bench<T>& bench) {
  const Product<T> p = bench.product();
  launch(multiply_patches<T>, tiles_of(p, tile_side, tile_side), dim3(side, side), 0, p);
}

template void patches_in_registers(Bench<float>&);
template void patches_in_registers(Bench<double>&);

}  // namespace foldline::ladder::matmul
