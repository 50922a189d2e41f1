// Idea: a one-dimensional texture returns its elements: 10 floats of a CUDA array, which are 0, 2, 4, ... 18,
// and 5000 floats of linear memory, which are 0, 1, 2, ...
// Fixes: not a rung: it shows how to bind textures. Texture references, which the textbook uses, were removed
// in CUDA 12; these are texture objects. The textbook's check of its 5000 elements has the loop condition `i
// << N`, which is never true.
// Limit: the texture cache is not coherent within a kernel: the textbook writes to the memory that its
// texture reads, and the result of such a fetch is undefined. Here results are written elsewhere.
#include "memory/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::memory {
namespace {

__global__ void make_elements(float* elements, int n, int step) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) elements[i] = static_cast<float>(step * i);
}

template <bool InArray>
__global__ void read_texture(cudaTextureObject_t texture, int n, int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = __float_as_int(fetch<float, InArray>(texture, i));
}

template <bool InArray>
void read_back(Bench& bench, int n, int step) {
  static cudaTextureObject_t texture = 0;  // a rung has a process of its own
  float* const elements = static_cast<float*>(bench.scratch(n * sizeof(float)));
  if (texture == 0) {
    launch(make_elements, 1, 1024, 0, elements, n, step);
    texture = InArray ? texture_of_array(elements, n) : texture_of_linear_memory(elements, n);
  }
  launch(read_texture<InArray>, blocks_for(n, 256), 256, 0, texture, n, bench.results(n));
}

}  // namespace

void texture_of_an_array(Bench& bench) { read_back<true>(bench, 10, 2); }
void texture_of_linear(Bench& bench) { read_back<false>(bench, 5000, 1); }

}  // namespace foldline::ladder::memory
