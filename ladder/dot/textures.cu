// Idea: both vectors are read through texture objects, from CUDA arrays (fetched by coordinate) or from
// linear memory (by index). Doubles are fetched as int2.
// Fixes: nothing today: textures gave access to a cache when global loads had none.
// Limit: a one-dimensional CUDA array has at most 131072 elements on an H200, a texture over linear memory at
// least 2^27; and texture units fetch no faster than plain loads.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "dot/bench.hpp"
#include "runner/texture.cuh"

namespace foldline::ladder::dot {
namespace {

template <class T, bool XInArray, bool YInArray>
__global__ void dot_of_textures(cudaTextureObject_t x, cudaTextureObject_t y, std::int64_t n, T* partials) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    sum += fetch<T, XInArray>(x, static_cast<int>(i)) * fetch<T, YInArray>(y, static_cast<int>(i));
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

template <bool XInArray, bool YInArray, class T>
void dot_with(Bench<T>& bench) {
  const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
  // Created once: a rung has a process of its own.
  static const cudaTextureObject_t x =
      XInArray ? texture_of_array(bench.x(), n) : texture_of_linear_memory(bench.x(), n);
  static const cudaTextureObject_t y =
      YInArray ? texture_of_array(bench.y(), n) : texture_of_linear_memory(bench.y(), n);
  const double depth = blocks == 0 ? 0 : n / (blocks * bench.block()) + 12;
  launch(dot_of_textures<T, XInArray, YInArray>, blocks, bench.block(), 0, x, y, n,
         bench.partials(blocks, depth));
}

}  // namespace

template <class T>
void two_arrays(Bench<T>& bench) {
  dot_with<true, true>(bench);
}
template <class T>
void array_and_linear(Bench<T>& bench) {
  dot_with<true, false>(bench);
}
template <class T>
void two_linear(Bench<T>& bench) {
  dot_with<false, false>(bench);
}

template void two_arrays(Bench<float>&);
template void two_arrays(Bench<double>&);

template void array_and_linear(Bench<float>&);
template void array_and_linear(Bench<double>&);

template void two_linear(Bench<float>&);
template void two_linear(Bench<double>&);

}  // namespace foldline::ladder::dot
