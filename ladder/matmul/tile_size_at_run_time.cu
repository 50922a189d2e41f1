// Idea: the launch chooses the side of the block (--block 64, 256 or 1024: tiles of 8, 16 or 32) and with it
// the size of shared memory, the third parameter of a launch.
// Fixes: larger tiles without another kernel: with a side of 32, an element from global memory is used 32
// times.
// Limit: the compiler does not know the side, so it cannot fully unroll the inner loop, and computes
// addresses at run time. A block has at most 1024 threads, so with one entry per thread 32 is the largest
// side.
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

template <class T>
__global__ void multiply_tiles_of_any_size(Product<T> p) {
  extern __shared__ double memory[];  // aligned for either type
  const int side = blockDim.x, x = threadIdx.x, y = threadIdx.y;
  T* const a = reinterpret_cast<T*>(memory);
  T* const b = a + side * side;
  const Place tile = tile_of_block(p, side, side);
  T sum = 0;
  for (int first = 0; first < p.inner; first += side) {
    a[y * side + x] = a_at(p, tile.row + y, first + x);
    b[y * side + x] = b_at(p, first + y, tile.column + x);
    __syncthreads();
    for (int i = 0; i < side; ++i) sum = fma(a[y * side + i], b[i * side + x], sum);
    __syncthreads();
  }
  set_c(p, tile.row + y, tile.column + x, sum);
}

}  // namespace

template <class T>
void tile_size_at_run_time(Bench<T>& bench) {
  const Product<T> p = bench.product();
  int side = 8;
  while (side * side < bench.block()) side *= 2;
  launch(multiply_tiles_of_any_size<T>, tiles_of(p, side, side), dim3(side, side),
         2 * side * side * sizeof(T), p);
}

template void tile_size_at_run_time(Bench<float>&);
template void tile_size_at_run_time(Bench<double>&);

}  // namespace foldline::ladder::matmul
