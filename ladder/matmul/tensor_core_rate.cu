// Idea: the peak rate of tensor cores: operands in registers (matmul/tensor_step.cuh), eight steps per warp
// in flight, no memory traffic.
// Fixes: not a rung.
// Limit: the tensor cores. Doubles only, as in tensor_cores.cu.
#include <type_traits>

#include "matmul/bench.hpp"
#include "matmul/tensor_step.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::matmul {
namespace {

constexpr int threads = 256, blocks_per_multiprocessor = 2, chains = 8, rounds = 2048;
constexpr std::int64_t operations_of_step = std::int64_t{2} * step_rows * step_columns * step_depth;

__global__ void __launch_bounds__(threads) take_tensor_steps(double small, double* sink) {
  PartOfA a;
  PartOfB b;
  PartOfC sum[chains] = {};
  for (double& element : a.at) element = small;
  for (double& element : b.at) element = small * threadIdx.x;
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < chains; ++k) tensor_step(sum[k], a, b);
  double all = 0;
  for (const PartOfC& part : sum)
    for (const double element : part.at) all += element;
  if (all < 0) *sink = all;  // never, but the compiler cannot know
}

}  // namespace

template <class T>
void tensor_core_rate(Bench<T>& bench) {
  need_real_device();
  if constexpr (std::is_same_v<T, float>) {
    unsupported("tensor cores round floats to TF32; bits of a float that would be left:", 11);
  } else {
    need_tensor_cores(reinterpret_cast<const void*>(take_tensor_steps));
    const std::int64_t blocks = std::int64_t{multiprocessors()} * blocks_per_multiprocessor;
    bench.counts(blocks * (threads / 32) * chains * rounds * operations_of_step);
    launch(take_tensor_steps, blocks, threads, 0, 1e-6, static_cast<double*>(bench.scratch(sizeof(double))));
  }
}

template void tensor_core_rate(Bench<float>&);
template void tensor_core_rate(Bench<double>&);

}  // namespace foldline::ladder::matmul
