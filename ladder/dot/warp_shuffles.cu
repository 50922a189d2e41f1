// Idea: threads load four pairs at a time; their sums are added through registers, by shuffles
// (common/block_sum.cuh).
// Fixes: one barrier in all rather than one per step, and eight loads per thread in flight
// (dot/thread_dot.cuh).
// Limit: memory bandwidth; for short vectors the copy of partial sums to the host.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "dot/bench.hpp"
#include "dot/thread_dot.cuh"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void dot_with_shuffles(const T* x, const T* y, std::int64_t n, T* partials) {
  const T sum = block_sum(thread_dot(x, y, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void warp_shuffles(Bench<T>& bench) {
  const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
  launch(dot_with_shuffles<T>, blocks, bench.block(), 0, bench.x(), bench.y(), n,
         bench.partials(blocks, depth_of_grid(n, blocks, bench.block())));
}

template void warp_shuffles(Bench<float>&);
template void warp_shuffles(Bench<double>&);

}  // namespace foldline::ladder::dot
