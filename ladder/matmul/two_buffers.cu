// Idea: while the block multiplies the tiles in one buffer, those of the next step are copied to the other
// asynchronously (matmul/copies.cuh), 16 bytes at a time, and read 16 bytes at a time.
// Fixes: no thread waits for global memory unless loading takes longer than multiplying; one barrier per step
// suffices; and loads take half (doubles) or a quarter (floats) as many instructions.
// Limit: the multiply-adds themselves, which a multiprocessor issues at the rate of its units. Matrices whose
// rows do not all start at multiples of 16 bytes are copied element by element.
#include "matmul/copies.cuh"
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int side = 16, threads = side * side, patch = 8, tile_side = side * patch;

template <class T>
struct alignas(16) Vector {
  T at[elements_of_16_bytes<T>];
};

/// `Elements`: of a copy from global memory. Thread (x, y) computes rows y + 16 r and as many columns, in
/// groups of 16 bytes that are 16 groups apart.
template <class T, int Elements>
__global__ void __launch_bounds__(threads) multiply_with_two_buffers(Product<T> p) {
  constexpr int wide = elements_of_16_bytes<T>, depth = 4 * wide, a_stride = depth + wide,
                groups = patch / wide;
  __shared__ alignas(16) T a[2][tile_side * a_stride];
  __shared__ alignas(16) T b[2][depth * tile_side];
  const int x = threadIdx.x % side, y = threadIdx.x / side;
  const Place tile = tile_of_block(p, tile_side, tile_side);
  const int steps = (p.inner + depth - 1) / depth;
  const auto begin_step = [&](int step) {
    begin_copy<tile_side, depth, a_stride, Elements, threads>(a[step % 2], p.a, p.rows, p.inner, tile.row,
                                                              step * depth);
    begin_copy<depth, tile_side, tile_side, Elements, threads>(b[step % 2], p.b, p.inner, p.columns,
                                                               step * depth, tile.column);
    __pipeline_commit();
  };
  const auto load = [](const T* from) { return *reinterpret_cast<const Vector<T>*>(from); };

  T sum[patch][patch] = {};
  if (steps > 0) begin_step(0);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(0);
    __syncthreads();  // all copies of this step have arrived, and the other buffer is no longer in use
    if (step + 1 < steps) begin_step(step + 1);
#pragma unroll
    for (int i = 0; i < depth; i += wide) {
      Vector<T> from_a[patch];
#pragma unroll
      for (int r = 0; r < patch; ++r) from_a[r] = load(&a[step % 2][(y + r * side) * a_stride + i]);
#pragma unroll
      for (int k = 0; k < wide; ++k) {
        Vector<T> from_b[groups];
#pragma unroll
        for (int g = 0; g < groups; ++g)
          from_b[g] = load(&b[step % 2][(i + k) * tile_side + (x + g * side) * wide]);
#pragma unroll
        for (int r = 0; r < patch; ++r)
#pragma unroll
          for (int c = 0; c < patch; ++c)
            sum[r][c] = fma(from_a[r].at[k], from_b[c / wide].at[c % wide], sum[r][c]);
      }
    }
  }
#pragma unroll
  for (int r = 0; r < patch; ++r)
#pragma unroll
    for (int c = 0; c < patch; ++c)
      set_c(p, tile.row + y + r * side, tile.column + (x + c / wide * side) * wide + c % wide, sum[r][c]);
}

}  // namespace

template <class T>
void two_buffers(Bench<T>& bench) {
  const Product<T> p = bench.product();
  const auto kernel = rows_are_aligned(p) ? multiply_with_two_buffers<T, elements_of_16_bytes<T>>
                                          : multiply_with_two_buffers<T, 1>;
  launch(kernel, tiles_of(p, tile_side, tile_side), threads, 0, p);
}

template void two_buffers(Bench<float>&);
template void two_buffers(Bench<double>&);

}  // namespace foldline::ladder::matmul
