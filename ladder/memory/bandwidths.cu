// Idea: a block of 1024 threads on each multiprocessor reads from each kind of memory, eight words per thread
// in flight; measured in bytes per cycle and multiprocessor.
// Fixes: not a rung: with the latencies it fills the table of the kinds of memory in docs/ladder.md.
// Limit: counts bytes that reach registers: a word of constant memory that all lanes read counts 32 times; a
// multiply-add counts the 12 bytes that it reads from registers.
#include "memory/bandwidths.hpp"

#include "memory/bandwidth_kinds.cuh"
#include "memory/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::memory {
namespace {

/// Word i is i, so the sum of a thread is known.
__global__ void number_words(unsigned* word) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
    word[i] = i;
}

/// Adds the block's bytes per cycle to `rate`, as its part of the average; counts threads with a wrong sum.
template <class Kind>
__device__ void measure(Kind kind, int rounds, int* wrong, float* rate) {
  unsigned sum = 0, i = kind.first;
  __syncthreads();
  const long long start = clock64();
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int j = 0; j < unrolled; ++j) sum += kind.load(i + j * kind.apart);
    i = (i + kind.advance) & (kind.size - 1);
  }
  __syncthreads();
  const long long end = clock64() + (sum == 0x5eed5eed);  // not before the last word has arrived
  i = kind.first;
  for (int round = 0; round < rounds; ++round) {
    for (int j = 0; j < unrolled; ++j) sum -= expected(kind, i + j * kind.apart);
    i = (i + kind.advance) & (kind.size - 1);
  }
  if (sum != 0) atomicAdd(wrong, 1);
  const float bytes = static_cast<float>(rounds) * unrolled * Kind::bytes * block;
  if (threadIdx.x == 0) atomicAdd(rate, bytes / static_cast<float>(end - start) / gridDim.x);
}

__device__ void measure_registers(float one, int rounds, int* wrong, float* rate) {
  float sum[unrolled] = {};
  __syncthreads();
  const long long start = clock64();
#pragma unroll 4
  for (int round = 0; round < rounds; ++round)
    for (int j = 0; j < unrolled; ++j) sum[j] = __fmaf_rn(sum[j], one, one);
  __syncthreads();
  const long long end = clock64() + (sum[0] < 0);
  for (int j = 0; j < unrolled; ++j)
    if (sum[j] != static_cast<float>(rounds)) atomicAdd(wrong, 1);
  const float bytes = static_cast<float>(rounds) * unrolled * 12 * block;
  if (threadIdx.x == 0) atomicAdd(rate, bytes / static_cast<float>(end - start) / gridDim.x);
}

__global__ void __launch_bounds__(block)
    measure_on_chip(const unsigned* word, cudaTextureObject_t texture, int rounds, int* wrong, float* rates) {
  __shared__ unsigned shared[small_words + unrolled * 32];
  unsigned local[local_words + unrolled];
  for (unsigned i = threadIdx.x; i < small_words + unrolled * 32; i += block) shared[i] = word[i];
  for (unsigned i = 0; i < local_words + unrolled; ++i) local[i] = word[i];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = warp * 128 + lane;
  measure_registers(static_cast<float>(word[1]), rounds, wrong + from_registers, rates + from_registers);
  measure(Shared{shared, first}, rounds, wrong + from_shared, rates + from_shared);
  measure(Constant{warp}, rounds, wrong + from_constant, rates + from_constant);
  measure(Texture{texture, first}, rounds, wrong + from_texture, rates + from_texture);
  measure(Local{local, word[0]}, rounds, wrong + from_local, rates + from_local);
  measure(InL1{word, first}, rounds, wrong + from_l1, rates + from_l1);
}

__device__ long long nanoseconds() {
  long long time = 0;
#ifdef __CUDA_ARCH__
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
#endif
  return time;
}

/// `size` words of 16 bytes, a power of two.
__global__ void __launch_bounds__(block)
    measure_past_l1(const uint4* word, unsigned size, int rounds, int* wrong, float* rate, float* clock) {
  const unsigned threads = gridDim.x * block;
  const long long start = clock64(), start_time = nanoseconds();
  measure(PastL1{word, blockIdx.x * block + threadIdx.x, threads, unrolled * threads, size}, rounds, wrong,
          rate);
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  clock[0] = static_cast<float>(clock64() - start) / static_cast<float>(nanoseconds() - start_time);
  clock[1] = static_cast<float>(gridDim.x);
}

}  // namespace

void bandwidths(Bench& bench) {
  need_real_device();
  unsigned* const word = static_cast<unsigned*>(bench.scratch(words * sizeof(unsigned)));
  static cudaTextureObject_t texture = 0;  // a rung has a process of its own
  if (texture == 0) {
    launch(number_words, 1024, 256, 0, word);
    check(cudaMemcpyToSymbol(constants, word, sizeof constants, 0, cudaMemcpyDeviceToDevice),
          "filling constant memory");
    texture = texture_of_linear_memory(reinterpret_cast<const int*>(word), std::int64_t{2} * small_words);
  }
  int* const wrong = bench.results(sources);
  float* const rates = bench.cycles(bandwidth_results);
  clear(wrong, sources * sizeof(int));
  clear(rates, bandwidth_results * sizeof(float));
  const int grid = multiprocessors();
  const uint4* const vec16s = reinterpret_cast<const uint4*>(word);
  constexpr unsigned in_l2 = 1u << 20;  // 16 MiB
  const int once = static_cast<int>(words / 4 / (unrolled * block) / static_cast<unsigned>(grid));
  launch(measure_on_chip, grid, block, 0, word, texture, 512, wrong, rates);
  launch(measure_past_l1, grid, block, 0, vec16s, in_l2, once, wrong + from_l2, rates + from_l2,
         rates + clock_rate);
  launch(measure_past_l1, grid, block, 0, vec16s, words / 4, once, wrong + from_memory, rates + from_memory,
         rates + clock_rate);
}

}  // namespace foldline::ladder::memory
