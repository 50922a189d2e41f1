// Idea: tensor cores do the multiply-adds, 16 x 8 entries and 16 terms per instruction of a warp
// (matmul/tensor_step.cuh); the block's tile of 128 x 128 entries is divided among eight warps, 64 x 32 each.
// Fixes: tensor cores do more multiply-adds of doubles per cycle than the other units, and a warp's lanes
// share what they load: 96 elements for 2048 multiply-adds, not 16 for 64.
// Limit: the tensor cores, if the copies keep up. Doubles only: tensor cores round floats to TF32 (11 bits),
// and composing float products from three of these would be another idea. GPUs before compute capability 8.0
// have no tensor cores for doubles.
#include <type_traits>

#include "matmul/copies.cuh"
#include "matmul/tensor_step.cuh"
#include "matmul/tiles.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int threads = 256, tile_side = 128, warp_rows = 64, warp_columns = 32;
// Rows padded by four doubles: the eight rows by four columns that a warp reads at a time use all banks.
constexpr int a_stride = step_depth + 4, b_stride = tile_side + 4;
constexpr int a_size = tile_side * a_stride, b_size = step_depth * b_stride;
constexpr int shared_bytes = 2 * (a_size + b_size) * static_cast<int>(sizeof(double));

template <int Elements>
__global__ void __launch_bounds__(threads) multiply_on_tensor_cores(Product<double> p) {
  extern __shared__ double memory[];
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int row = warp / 4 * warp_rows, column = warp % 4 * warp_columns;  // of the warp, in the tile
  const Place tile = tile_of_block(p, tile_side, tile_side);
  const int steps = (p.inner + step_depth - 1) / step_depth;
  const auto a_of = [](int step) { return memory + step % 2 * (a_size + b_size); };
  const auto b_of = [&](int step) { return a_of(step) + a_size; };
  const auto begin_step = [&](int step) {
    const int first = step * step_depth;
    begin_copy<tile_side, step_depth, a_stride, Elements, threads>(a_of(step), p.a, p.rows, p.inner, tile.row,
                                                                   first);
    begin_copy<step_depth, tile_side, b_stride, Elements, threads>(b_of(step), p.b, p.inner, p.columns, first,
                                                                   tile.column);
    __pipeline_commit();
  };

  PartOfC sum[warp_rows / step_rows][warp_columns / step_columns] = {};
  if (steps > 0) begin_step(0);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(0);
    __syncthreads();  // all copies of this step have arrived, and the other buffer is no longer in use
    if (step + 1 < steps) begin_step(step + 1);
    const double *const a = a_of(step), *const b = b_of(step);
    PartOfB from_b[warp_columns / step_columns];
#pragma unroll
    for (int c = 0; c < warp_columns / step_columns; ++c)
#pragma unroll
      for (int k = 0; k < 4; ++k) from_b[c].at[k] = b[(t + 4 * k) * b_stride + column + c * step_columns + g];
#pragma unroll
    for (int r = 0; r < warp_rows / step_rows; ++r) {
      PartOfA from_a;
#pragma unroll
      for (int k = 0; k < 8; ++k)
        from_a.at[k] = a[(row + r * step_rows + g + k % 2 * 8) * a_stride + t + k / 2 * 4];
#pragma unroll
      for (int c = 0; c < warp_columns / step_columns; ++c) tensor_step(sum[r][c], from_a, from_b[c]);
    }
  }
#pragma unroll
  for (int r = 0; r < warp_rows / step_rows; ++r)
#pragma unroll
    for (int c = 0; c < warp_columns / step_columns; ++c)
#pragma unroll
      for (int k = 0; k < 4; ++k)
        set_c(p, tile.row + row + r * step_rows + g + k / 2 * 8,
              tile.column + column + c * step_columns + 2 * t + k % 2, sum[r][c].at[k]);
}

}  // namespace

template <class T>
void tensor_cores(Bench<T>& bench) {
  if constexpr (std::is_same_v<T, float>) {
    unsupported("tensor cores round floats to TF32; bits of a float that would be left:", 11);
  } else {
    const Product<double> p = bench.product();
    const auto kernel = rows_are_aligned(p) ? multiply_on_tensor_cores<2> : multiply_on_tensor_cores<1>;
    const void* const address = reinterpret_cast<const void*>(kernel);
    need_tensor_cores(address);
    check(cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "asking for more than 48 KiB of shared memory");
    launch(kernel, tiles_of(p, tile_side, tile_side), threads, shared_bytes, p);
  }
}

template void tensor_cores(Bench<float>&);
template void tensor_cores(Bench<double>&);

}  // namespace foldline::ladder::matmul
