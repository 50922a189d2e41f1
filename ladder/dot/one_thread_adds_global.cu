// Idea: thread 0 of each block adds the products of its block, which the others have written to global
// memory.
// Fixes: one number per block is copied to the host, not one per element.
// Limit: one thread of the block works while the others are idle; it waits for memory, and adds one product
// after another.
#include "dot/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void add_from_global(const T* x, const T* y, std::int64_t n, T* products, T* partials) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x, i = first + threadIdx.x;
  if (i < n) products[i] = x[i] * y[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  T sum = 0;
  for (std::int64_t k = first; k < first + blockDim.x && k < n; ++k) sum += products[k];
  partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void one_thread_adds_global(Bench<T>& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  T* const products = static_cast<T*>(bench.scratch(n * sizeof(T)));
  launch(add_from_global<T>, blocks, bench.block(), 0, bench.x(), bench.y(), n, products,
         bench.partials(blocks, bench.block()));
}

template void one_thread_adds_global(Bench<float>&);
template void one_thread_adds_global(Bench<double>&);

}  // namespace foldline::ladder::dot
