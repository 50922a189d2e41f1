// Idea: the midpoint rule with samples from a texture that is bound to linear memory: element i is the
// function's value in the middle of interval i, and threads fetch it by its index and add.
// Fixes: the accuracy of a table: what comes back is the element itself, in float or double, not a mean of
// neighbours as in texture-table, so the error is the rule's. The function is evaluated once for all runs;
// the time is that of fetching.
// Limit: memory: 4 or 8 bytes for each interval, where computing the value again takes none. A texture over
// linear memory has 2^27 elements or a few times as many.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T, class F>
__global__ void tabulate_middles(F f, std::int64_t n, T h, T* values) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] = f(middle_of(i, h));
}

template <class T>
__global__ void add_elements_of_texture(cudaTextureObject_t texture, std::int64_t n, T* partials) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    sum += fetch<T, false>(texture, static_cast<int>(i));
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

template <class T>
cudaTextureObject_t texture_of_middles(Bench<T>& bench) {
  const std::int64_t n = bench.n();
  T* const values = static_cast<T*>(bench.scratch(n * sizeof(T)));
  const cudaTextureObject_t texture = texture_of_linear_memory(values, n);
  with(bench.integrand(), [&](auto f) {
    launch(tabulate_middles<T, decltype(f)>, blocks_for(n, 256), 256, 0, f, n, width_of<T>(n), values);
  });
  return texture;
}

}  // namespace

template <class T>
void midpoint_from_linear_texture(Bench<T>& bench) {
  static const cudaTextureObject_t texture = texture_of_middles(bench);  // a rung has a process of its own
  const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
  launch(add_elements_of_texture<T>, blocks, bench.block(), 0, texture, n,
         bench.partials(blocks, Rule::midpoint, depth_of_grid(n, blocks, bench.block())));
}

template void midpoint_from_linear_texture(Bench<float>&);
template void midpoint_from_linear_texture(Bench<double>&);

}  // namespace foldline::ladder::quadrature
