// Idea: the function as a table of 4096 intervals in a one-dimensional texture, which interpolates between
// neighbours as it fetches (linear filtering); the values in the middle of intervals come from there.
// Fixes: nothing: it integrates another function, of 4096 straight lines. A fetch takes the same time however
// expensive the function is.
// Limit: accuracy. Texels are floats, and the position between two of them has 8 bits only (9-bit fixed
// point), so values are in steps of 1/256 of the difference of neighbours. Images need no more. A
// one-dimensional CUDA array has at most 131072 elements on an H200.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::quadrature {
namespace {

constexpr int table = 4096;

template <class F>
__global__ void tabulate(F f, float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= table) values[i] = f(end_of(i, 1.0f / table));
}

template <class T>
__global__ void add_middles_from_texture(cudaTextureObject_t texture, std::int64_t n, float h, T* partials) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    sum += tex1D<float>(texture, middle_of(i, h) * table + 0.5f);  // texel k lies at k + 1/2
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

template <class T>
cudaTextureObject_t texture_of_function(Bench<T>& bench) {
  float* const values = static_cast<float*>(bench.scratch((table + 1) * sizeof(float)));
  with(bench.integrand(),
       [&](auto f) { launch(tabulate<decltype(f)>, blocks_for(table + 1, 256), 256, 0, f, values); });
  return texture_of_array(values, table + 1, cudaFilterModeLinear);
}

}  // namespace

template <class T>
void texture_table(Bench<T>& bench) {
  static const cudaTextureObject_t texture = texture_of_function(bench);  // a rung has a process of its own
  const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
  bench.interpolates(table);
  launch(add_middles_from_texture<T>, blocks, bench.block(), 0, texture, n, width_of<float>(n),
         bench.partials(blocks, Rule::midpoint, depth_of_grid(n, blocks, bench.block())));
}

template void texture_table(Bench<float>&);
template void texture_table(Bench<double>&);

}  // namespace foldline::ladder::quadrature
