// Idea: the Euclidean norm of x as the square root of its dot product with itself, which the host takes.
// Fixes: it is no step of the ladder: another result by the same kernel, from half of the bytes.
// Limit: the squares of large elements overflow, those of small ones vanish (the library's norm has
// neither).
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
