// Idea: thread (x, y) of a block of 16 x 16 computes one entry of C: a row of A times a column of B, from
// global memory.
// Fixes: nothing yet.
// Limit: two loads per multiply-add. Most hit the caches, but each is still an instruction with a long
// latency. (fma is written out, because this project is compiled without contraction.)
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int side = 16;

template <class T>
__global__ void multiply_entry(Product<T> p) {
  const Place tile = tile_of_block(p, side, side);
  const int row = tile.row + threadIdx.y, column = tile.column + threadIdx.x;
  if (row >= p.rows || column >= p.columns) return;
  T sum = 0;
  for (int i = 0; i < p.inner; ++i)
    sum = fma(p.a[std::int64_t{row} * p.inner + i], p.b[std::int64_t{i} * p.columns + column], sum);
  p.c[std::int64_t{row} * p.columns + column] = sum;
}

}  // namespace

template <class T>
void one_thread_per_entry(Bench<T>& bench) {
  const Product<T> p = bench.product();
  launch(multiply_entry<T>, tiles_of(p, side, side), dim3(side, side), 0, p);
}

template void one_thread_per_entry(Bench<float>&);
template void one_thread_per_entry(Bench<double>&);

}  // namespace foldline::ladder::matmul
