// Idea: one thread follows a ring of indices, each of which is the index of the next, in each kind of memory;
// measured in cycles per step.
// Fixes: not a rung: it fills the table of the kinds of memory in docs/ladder.md.
// Limit: latency only, of one thread that has nothing else to do. A GPU hides it by running other warps.
//
// Who sees which kind of memory, and where it is:
//
//   registers  a thread         the multiprocessor
//   local      a thread         memory, cached in L1 and L2; what registers do not hold
//   shared     a block          the multiprocessor, beside its L1 cache
//   global     the grid         memory, cached in L1 and L2
//   constant   the grid, reads  memory, with small caches of its own on the multiprocessor
//   texture    the grid, reads  memory, cached in L1 and L2
#include "memory/bench.hpp"
#include "memory/latencies.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "runner/texture.cuh"

namespace foldline::ladder::memory {
namespace {

constexpr int steps = 2048, small_ring = 1024;  // 4 KiB: fits in any cache

__constant__ int constant_ring[small_ring];

__global__ void make_ring(int* ring, int size, int stride) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x)
    ring[i] = static_cast<int>((std::int64_t{i} + stride) % size);
}

/// Follows `next` from index to index, stores the cycles per step, and returns the last index.
template <class Next>
__device__ int follow(int place, Next next, float* cycles) {
  const long long start = clock64();
#pragma unroll 16
  for (int i = 0; i < steps; ++i) place = next(place);
  const long long end = clock64() + (place < 0);  // not before the last step is done
  *cycles = static_cast<float>(end - start) / steps;
  return place;
}

struct FromOwnMemory {  // volatile, so that the compiler does not remember what it stored
  const volatile int* ring;
  __device__ int operator()(int place) const { return ring[place]; }
};
struct FromL1 {
  const int* ring;
  __device__ int operator()(int place) const { return __ldca(ring + place); }
};
struct FromL2 {  // bypasses the L1 cache
  const int* ring;
  __device__ int operator()(int place) const { return __ldcg(ring + place); }
};
struct FromConstant {
  __device__ int operator()(int place) const { return constant_ring[place]; }
};
struct FromTexture {
  cudaTextureObject_t ring;
  __device__ int operator()(int place) const { return fetch<int, false>(ring, place); }
};
struct FromRegister {  // an addition that depends on the one before
  int one;
  __device__ int operator()(int place) const { return place * one + one; }
};

/// Walks a ring of `size` twice with the given stride, so that what fits in a cache is there the second time.
template <class Next>
__device__ void measure(Kind kind, int size, Next next, int* ends, float* cycles) {
  float first;
  const int middle = follow(0, next, &first);
  ends[kind] = (follow(middle, next, cycles + kind) + (first < 0)) % size;
}

__global__ void measure_latencies(const int* ring, const int* large_ring, int large_size, int* start,
                                  cudaTextureObject_t texture, int* ends, float* cycles) {
  __shared__ int shared_ring[small_ring];
  int local_ring[64];
  for (int i = 0; i < small_ring; ++i) shared_ring[i] = ring[i];
  for (int i = 0; i < 64; ++i) local_ring[i] = ring[i] % 64;
  ends[Kind::registers] = 0 * follow(0, FromRegister{ring[0]}, cycles + Kind::registers);
  measure(Kind::local, 64, FromOwnMemory{local_ring}, ends, cycles);
  measure(Kind::shared, small_ring, FromOwnMemory{shared_ring}, ends, cycles);
  measure(Kind::constant, small_ring, FromConstant{}, ends, cycles);
  measure(Kind::texture, small_ring, FromTexture{texture}, ends, cycles);
  measure(Kind::global_in_l1, small_ring, FromL1{ring}, ends, cycles);
  measure(Kind::global_in_l2, small_ring, FromL2{ring}, ends, cycles);
  // No index repeats before the whole ring of 256 MiB is read, so no cache holds it.
  const int end = follow(*start, FromL2{large_ring}, cycles + Kind::global_in_memory);
  ends[Kind::global_in_memory] =
      static_cast<int>((std::int64_t{end} - *start - std::int64_t{steps} * large_stride) % large_size);
  *start = end;
}

}  // namespace

void latencies(Bench& bench) {
  need_real_device();
  int* const ring = static_cast<int*>(bench.scratch((small_ring + 1 + large_ring_size) * sizeof(int)));
  int* const start = ring + small_ring;
  static cudaTextureObject_t texture = 0;  // a rung has a process of its own
  if (texture == 0) {
    launch(make_ring, 1, small_ring, 0, ring, small_ring, 1);
    launch(make_ring, 1024, 256, 0, start + 1, large_ring_size, large_stride);
    check(cudaMemcpyToSymbol(constant_ring, ring, sizeof constant_ring, 0, cudaMemcpyDeviceToDevice),
          "filling constant memory");
    texture = texture_of_linear_memory(ring, small_ring);
  }
  launch(measure_latencies, 1, 1, 0, ring, start + 1, large_ring_size, start, texture,
         bench.results(Kind::count), bench.cycles(Kind::count));
}

}  // namespace foldline::ladder::memory
