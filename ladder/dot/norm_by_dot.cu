// Idea: the Euclidean norm of x: its dot product with itself, whose square root the host takes.
// Fixes: not a step of the ladder: another result by the same kernel, from half the bytes.
// Limit: squares of large elements overflow and those of small ones underflow (not so in the library's norm).
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "dot/bench.hpp"
#include "dot/thread_dot.cuh"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void sum_of_squares(const T* x, std::int64_t n, T* partials) {
  const T sum = block_sum(thread_dot(x, x, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void norm_by_dot(Bench<T>& bench) {
  const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
  launch(sum_of_squares<T>, blocks, bench.block(), 0, bench.x(), n,
         bench.partials(blocks, depth_of_grid(n, blocks, bench.block())));
}

template void norm_by_dot(Bench<float>&);
template void norm_by_dot(Bench<double>&);

}  // namespace foldline::ladder::dot
