// Idea: a block of 16 x 16 threads goes along its rows of A and down its columns of B in steps of 16: each
// thread brings one element of either to shared memory, and all 256 use them.
// Fixes: an element that came from global memory is used 16 times: inner / 8 loads for an entry instead of 2
// inner. The text's sizes must be multiples of 16; here what lies beyond the ends is 0, and every thread
// comes to both barriers: after the tiles are filled, and before they are filled again.
// Limit: still two loads for each multiply-add, now from shared memory.
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int side = 16;

template <class T>
__global__ void multiply_tiles(Product<T> p) {
  __shared__ T a[side][side], b[side][side];
  const int x = threadIdx.x, y = threadIdx.y;
  const Place tile = tile_of_block(p, side, side);
  T sum = 0;
  for (int first = 0; first < p.inner; first += side) {
    a[y][x] = a_at(p, tile.row + y, first + x);
    b[y][x] = b_at(p, first + y, tile.column + x);
    __syncthreads();
    for (int i = 0; i < side; ++i) sum = fma(a[y][i], b[i][x], sum);
    __syncthreads();
  }
  set_c(p, tile.row + y, tile.column + x, sum);
}

}  // namespace

template <class T>
void tiles_in_shared_memory(Bench<T>& bench) {
  const Product<T> p = bench.product();
  launch(multiply_tiles<T>, tiles_of(p, side, side), dim3(side, side), 0, p);
}

template void tiles_in_shared_memory(Bench<float>&);
template void tiles_in_shared_memory(Bench<double>&);

}  // namespace foldline::ladder::matmul
