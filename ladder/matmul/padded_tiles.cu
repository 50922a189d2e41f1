// Idea: tiles of 16 x 16 again, with rows of A's tile padded to 17 elements.
// Fixes: what textbooks expect to be a bank conflict. A warp is two rows of threads, so it reads two elements
// of A's tile at a time, one below the other. A row of 16 doubles is 128 bytes, one turn of the 32 banks, so
// both are in the same banks (the rule is in memory/bank_conflicts.cu). But the counters show as many
// conflicts with 16 as with 17: the compiler reads several elements of a row with one instruction, for which
// a row of 17 is not aligned. So this rung is slower than the one before (docs/ladder.md).
// Limit: two loads per multiply-add.
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int side = 16;

template <class T>
__global__ void multiply_padded_tiles(Product<T> p) {
  __shared__ T a[side][side + 1], b[side][side];
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
void padded_tiles(Bench<T>& bench) {
  const Product<T> p = bench.product();
  launch(multiply_padded_tiles<T>, tiles_of(p, side, side), dim3(side, side), 0, p);
}

template void padded_tiles(Bench<float>&);
template void padded_tiles(Bench<double>&);

}  // namespace foldline::ladder::matmul
