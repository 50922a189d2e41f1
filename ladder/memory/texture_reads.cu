// Idea: a texture of one dimension gives the elements back: 10 of a CUDA array, that are 0, 2, 4, ... 18,
// and 5000 of linear memory.
// Fixes: it is no rung: it shows how textures are bound. Texture references, which the text uses, are gone
// since CUDA 12; these are texture objects. The text's check of its 5000 elements has the loop `i << N`,
// which never runs.
// Limit: a texture's cache is not kept up to date within a kernel: the text writes to the memory that its
// texture reads, and what a fetch gives then is open. Here results go elsewhere.
#include "memory/bench.hpp"
#include "runner/here.hpp"
#include "runner/launch.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::memory {
namespace {

__global__ void make_elements(int* elements, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) elements[i] = 2 * i;
}

template <bool InArray>
__global__ void read_texture(cudaTextureObject_t texture, int n, int* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) results[i] = fetch<int, InArray>(texture, i);
}

template <bool InArray>
void read_back(Bench& bench, int n) {
  static cudaTextureObject_t texture = 0;  // a rung has a process of its own
  int* const elements = static_cast<int*>(bench.scratch(n * sizeof(int)));
  if (texture == 0) {
    launch(make_elements, 1, 1024, 0, elements, n);
    texture = InArray ? texture_of_array(elements, n) : texture_of_linear_memory(elements, n);
  }
  launch(read_texture<InArray>, blocks_for(n, 256), 256, 0, texture, n, bench.results(n));
}

}  // namespace

void texture_of_an_array(Bench& bench) { read_back<true>(bench, 10); }
void texture_of_linear(Bench& bench) { read_back<false>(bench, 5000); }

}  // namespace foldline::ladder::memory
