// Idea: threads add words from random places of a table, in global memory, through a texture over the same
// memory, and in shared memory; with tables that fit in the caches and tables that do not. Measured in words
// per cycle of one multiprocessor, with 1024 threads on each.
// Fixes: not a rung: it tests the textbooks' reason for textures, that their cache is made for reads without
// order. When global loads had no cache that was so; today both go through the same L1 cache.
// Limit: a load of a warp touches up to 32 sectors, or several words in one bank of shared memory: it takes
// as many turns. Beyond the caches each word costs a sector of 32 bytes from memory.
#include "memory/random_gather.hpp"

#include "memory/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::memory {
namespace {

constexpr int block = 1024, rounds = 256, shared_words = 1 << smallest_table_bits;

/// Word i is i, so the sum of a thread is known.
__global__ void number_table(int* table, int words) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) table[i] = i;
}

struct FromGlobal {
  const int* table;
  __device__ unsigned load(unsigned i) const { return __ldca(table + i); }
};
struct FromTexture {
  cudaTextureObject_t table;
  __device__ unsigned load(unsigned i) const { return fetch<int, false>(table, static_cast<int>(i)); }
};
struct FromShared {
  const int* table;
  __device__ unsigned load(unsigned i) const { return table[i]; }
};

/// Numerical Recipes' generator; its high bits are the random ones.
__device__ unsigned next_random(unsigned state) { return state * 1664525 + 1013904223; }

/// Twice, and the second time counts: what fits in a cache is there.
template <class Table>
__device__ void gather(Table table, int bits, int* wrong, float* rate) {
  long long cycles = 0;
  unsigned sum = 0, of_places = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const unsigned first = (blockIdx.x * block + threadIdx.x) * 2654435761u;
    unsigned random = first;
    __syncthreads();
    const long long start = clock64();
#pragma unroll 8
    for (int round = 0; round < rounds; ++round) {
      random = next_random(random);
      sum += table.load(random >> (32 - bits));
    }
    __syncthreads();
    cycles = clock64() - start + (sum == 0x5eed5eed);  // not before the last word has arrived
    random = first;
    for (int round = 0; round < rounds; ++round) {
      random = next_random(random);
      of_places += random >> (32 - bits);
    }
  }
  if (sum != of_places) atomicAdd(wrong, 1);
  if (threadIdx.x == 0)
    atomicAdd(rate, static_cast<float>(rounds) * block / static_cast<float>(cycles) / gridDim.x);
}

template <class Table>
__global__ void __launch_bounds__(block) gather_from(Table table, int bits, int* wrong, float* rate) {
  gather(table, bits, wrong, rate);
}

__global__ void __launch_bounds__(block) gather_from_shared(const int* table, int* wrong, float* rate) {
  __shared__ int copy[shared_words];
  for (int i = threadIdx.x; i < shared_words; i += block) copy[i] = table[i];
  __syncthreads();
  gather(FromShared{copy}, smallest_table_bits, wrong, rate);
}

}  // namespace

void random_gather(Bench& bench) {
  need_real_device();
  constexpr int words = 1 << table_bits[table_sizes - 1];
  int* const table = static_cast<int*>(bench.scratch(std::size_t{words} * sizeof(int)));
  static cudaTextureObject_t texture = 0;  // a rung has a process of its own
  if (texture == 0) {
    launch(number_table, 1024, 256, 0, table, words);
    texture = texture_of_linear_memory(table, words);
  }
  int* wrong = bench.results(gathers);
  float* rate = bench.cycles(gathers);
  clear(wrong, gathers * sizeof(int));
  clear(rate, gathers * sizeof(float));
  const int grid = multiprocessors();
  for (const int bits : table_bits)
    launch(gather_from<FromGlobal>, grid, block, 0, FromGlobal{table}, bits, wrong++, rate++);
  for (const int bits : table_bits)
    launch(gather_from<FromTexture>, grid, block, 0, FromTexture{texture}, bits, wrong++, rate++);
  launch(gather_from_shared, grid, block, 0, table, wrong, rate);
}

}  // namespace foldline::ladder::memory
