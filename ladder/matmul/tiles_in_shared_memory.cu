// Idea: a block of 16 x 16 threads proceeds along its rows of A and its columns of B in steps of 16: each
// thread copies one element of each to shared memory, and all 256 use them.
// Fixes: an element from global memory is used 16 times: inner / 8 loads per entry, not 2 inner. The textbook
// requires sizes that are multiples of 16; here elements outside the matrix are 0, and every thread reaches
// both barriers: after the tiles are filled, and before they are overwritten.
// Limit: still two loads per multiply-add, now from shared memory. The textbook expects more than ten times
// the speed; on an H200 it is 1.5, because the L1 cache already serves most of what one-thread-per-entry
// loads.
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
