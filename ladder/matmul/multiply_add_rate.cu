// Idea: the peak rate of multiply-adds: operands in registers, sixteen operations per thread in flight, 2048
// threads per multiprocessor, no memory traffic.
// Fixes: not a rung.
// Limit: the arithmetic units for T.
#include "matmul/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int threads = 256, blocks_per_multiprocessor = 8, chains = 16, rounds = 8192;

/// `half` is 0.5, unknown to the compiler: no sum leaves [0, 256].
template <class T>
__global__ void __launch_bounds__(threads) multiply_and_add(T half, T* sink) {
  T sum[chains];
  for (int k = 0; k < chains; ++k) sum[k] = static_cast<T>(threadIdx.x);
#pragma unroll 8
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < chains; ++k) sum[k] = fma(sum[k], half, half);
  T all = 0;
  for (int k = 0; k < chains; ++k) all += sum[k];
  if (all < 0) *sink = all;  // never, but the compiler cannot know
}

}  // namespace

template <class T>
void multiply_add_rate(Bench<T>& bench) {
  need_real_device();
  const std::int64_t blocks = std::int64_t{multiprocessors()} * blocks_per_multiprocessor;
  bench.counts(blocks * threads * chains * rounds * 2);
  launch(multiply_and_add<T>, blocks, threads, 0, static_cast<T>(0.5),
         static_cast<T*>(bench.scratch(sizeof(T))));
}

template void multiply_add_rate(Bench<float>&);
template void multiply_add_rate(Bench<double>&);

}  // namespace foldline::ladder::matmul
