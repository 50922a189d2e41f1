// Idea: the same tree, but every thread adds many products in a register, and there are only as many blocks
// as the GPU holds at once.
// Fixes: one trip to shared memory per thread rather than per product, and a thousand sums for the host
// however large n is. Sums in a tree also lose less: the depth is n / threads + log2(block), not n.
// Limit: a barrier in every step, which must stand outside the if; inside, some threads would not reach it
// (see the problem barrier).
#include "common/grid.cuh"
#include "dot/bench.hpp"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void add_in_tree(const T* x, const T* y, std::int64_t n, T* partials) {
  extern __shared__ double memory[];
  T* const sums = reinterpret_cast<T*>(memory);
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    sum += x[i] * y[i];
  sums[threadIdx.x] = sum;  // 0 if the thread has no elements
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) sums[threadIdx.x] += sums[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = sums[0];
}

}  // namespace

template <class T>
void tree_in_shared_memory(Bench<T>& bench) {
  const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
  const double depth = blocks == 0 ? 0 : n / (blocks * bench.block()) + 12;
  launch(add_in_tree<T>, blocks, bench.block(), bench.block() * sizeof(T), bench.x(), bench.y(), n,
         bench.partials(blocks, depth));
}

template void tree_in_shared_memory(Bench<float>&);
template void tree_in_shared_memory(Bench<double>&);

}  // namespace foldline::ladder::dot
