// Idea: each lane of a warp reads element lane * L of an array of chars, shorts, floats or doubles in shared
// memory, for L = 0 to 33; measured in cycles per request, with all 32 warps of a block active.
// Fixes: not a rung: it shows the rule. A request takes as many cycles as the most distinct 32-bit words that
// it reads from one bank, bank = (address / 4) % 32. L = 0 is a broadcast. Lanes that read different bytes of
// one word do not conflict: the 4-way conflict of chars in older textbooks no longer exists. The remedy for L
// = 32 is L = 33: padding by a column.
// Limit: one word per bank and cycle.
#include "memory/bank_conflicts.hpp"
#include "memory/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::memory {
namespace {

/// Element i holds i % 128.
template <class T>
__device__ void measure(char* memory, int place, int L, int* results, float* cycles) {
  T* const array = reinterpret_cast<T*>(memory);
  for (int i = threadIdx.x; i < conflict_elements; i += blockDim.x) array[i] = static_cast<T>(i % 128);
  __syncthreads();
  const volatile T* const mine = array + threadIdx.x % 32 * L;
  T sum = 0;
  const long long start = clock64();
#pragma unroll 32
  for (int k = 0; k < conflict_requests; ++k) sum += *mine;
  __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0)
    cycles[place] = static_cast<float>(end - start) / (conflict_requests * (blockDim.x / 32));
  const int value = static_cast<int>(*mine);
  const bool right = sum == static_cast<T>(conflict_requests * value);
  if (threadIdx.x < 32) results[place * 32 + threadIdx.x] = right ? value : -1;
  __syncthreads();
}

__global__ void measure_conflicts(int* results, float* cycles) {
  __shared__ double memory[conflict_elements];
  for (int L = 0; L < conflict_strides; ++L) {
    char* const bytes = reinterpret_cast<char*>(memory);
    measure<char>(bytes, 4 * L, L, results, cycles);
    measure<short>(bytes, 4 * L + 1, L, results, cycles);
    measure<float>(bytes, 4 * L + 2, L, results, cycles);
    measure<double>(bytes, 4 * L + 3, L, results, cycles);
  }
}

}  // namespace

void bank_conflicts(Bench& bench) {
  launch(measure_conflicts, 1, 1024, 0, bench.results(conflict_strides * 4 * 32),
         bench.cycles(conflict_strides * 4));
}

}  // namespace foldline::ladder::memory
