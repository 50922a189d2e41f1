// Idea: one thread follows a ring of words from line to line, twice as long a ring each time: the cycles of a
// step rise where a cache ends. In global memory, through a texture, and in constant memory; beside it what
// cudaGetDeviceProperties says.
// Fixes: not a rung: it answers how large the caches are. The device tells the size of the L2 cache, of
// shared memory and of constant memory, but not that of the L1 cache, which has what shared memory leaves of
// their common memory, nor that of the caches of constant memory.
// Limit: sizes are powers of two, so a cache is found to hold at least so much. Other kernels would have to
// share it.
#include "memory/cache_sizes.hpp"

#include "memory/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::memory {
namespace {

/// Lines of 64 bytes. A step of 17 lines comes to each line of a ring that has a power of two of them.
constexpr int line = 16, step = 17 * line, steps = 1024, block = 1024;
constexpr int largest_ring = smallest_ring_words << (ring_sizes - 1);
constexpr int constant_words = smallest_ring_words << (constant_ring_sizes - 1);

__constant__ int constant_words_of_ring[constant_words];

__global__ void number_ring(int* ring) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < largest_ring; i += gridDim.x * blockDim.x)
    ring[i] = i;
}

struct RingInGlobal {
  const int* ring;
  __device__ int load(int i) const { return __ldca(ring + i); }
};
struct RingInTexture {
  cudaTextureObject_t ring;
  __device__ int load(int i) const { return fetch<int, false>(ring, i); }
};
struct RingInConstant {
  __device__ int load(int i) const { return constant_words_of_ring[i]; }
};

/// The whole block reads the ring once, so that what fits in a cache is there; then one thread walks.
template <class Ring>
__global__ void walk(Ring ring, int words, int* off, float* cycles) {
  unsigned sum = 0;
  for (int i = threadIdx.x * line; i < words; i += blockDim.x * line)
    sum += static_cast<unsigned>(ring.load(i));
  __syncthreads();
  if (threadIdx.x != 0) return;
  int place = sum == 1 ? 1 : 0;  // 0: a sum of multiples of 16; the walk begins when it is known
  const long long start = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) place = (ring.load(place) + step) & (words - 1);
  const long long end = clock64() + (place < 0);  // not before the last step is done
  *cycles = static_cast<float>(end - start) / steps;
  *off = (place - steps * step) & (words - 1);
}

struct Sizes {
  float constant_memory, shared_memory, registers, l2;
};

Sizes sizes_of_device() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking about the GPU");
  const auto kib = [](double bytes) { return static_cast<float>(bytes / 1024); };
  return {kib(static_cast<double>(properties.totalConstMem)),
          kib(static_cast<double>(properties.sharedMemPerMultiprocessor)),
          kib(4.0 * properties.regsPerMultiprocessor), kib(properties.l2CacheSize)};
}

__global__ void store_sizes(Sizes sizes, float* results) {
  results[asked_constant_memory] = sizes.constant_memory;
  results[asked_shared_memory] = sizes.shared_memory;
  results[asked_registers] = sizes.registers;
  results[asked_l2] = sizes.l2;
}

}  // namespace

void cache_sizes(Bench& bench) {
  need_real_device();
  int* const ring = static_cast<int*>(bench.scratch(std::size_t{largest_ring} * sizeof(int)));
  static cudaTextureObject_t texture = 0;  // a rung has a process of its own
  if (texture == 0) {
    launch(number_ring, 1024, 256, 0, ring);
    check(cudaMemcpyToSymbol(constant_words_of_ring, ring, sizeof constant_words_of_ring, 0,
                             cudaMemcpyDeviceToDevice),
          "filling constant memory");
    texture = texture_of_linear_memory(ring, largest_ring);
  }
  int* const off = bench.results(rings);
  float* const cycles = bench.cycles(cache_results);
  for (int k = 0; k < ring_sizes; ++k) {
    const int words = smallest_ring_words << k;
    launch(walk<RingInGlobal>, 1, block, 0, RingInGlobal{ring}, words, off + k, cycles + k);
    launch(walk<RingInTexture>, 1, block, 0, RingInTexture{texture}, words, off + through_texture + k,
           cycles + through_texture + k);
    if (k < constant_ring_sizes)
      launch(walk<RingInConstant>, 1, block, 0, RingInConstant{}, words, off + in_constant_memory + k,
             cycles + in_constant_memory + k);
  }
  launch(store_sizes, 1, 1, 0, sizes_of_device(), cycles);
}

}  // namespace foldline::ladder::memory
