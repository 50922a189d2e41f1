// Idea: the block copies its parts of both vectors to shared memory, and thread 0 multiplies and adds from
// there.
// Fixes: no memory for n products, and the adding thread waits for shared memory only. That gains little for
// long vectors (1 to 4% on an H200): shared memory pays where threads use what others have loaded, as in
// products of matrices, and here each element is used once. The sums before came from the L1 cache anyway.
// Limit: still one thread adds while the others wait. Two elements per thread must fit in shared memory: 48
// KiB unless the kernel requests more.
#include "dot/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void add_from_shared(const T* x, const T* y, std::int64_t n, T* partials) {
  extern __shared__ double memory[];  // aligned for either type; its size is the third launch parameter
  T* const block_x = reinterpret_cast<T*>(memory);
  T* const block_y = block_x + blockDim.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  block_x[threadIdx.x] = i < n ? x[i] : 0;
  block_y[threadIdx.x] = i < n ? y[i] : 0;
  __syncthreads();
  if (threadIdx.x != 0) return;
  T sum = 0;
  for (int k = 0; k < blockDim.x; ++k) sum += block_x[k] * block_y[k];
  partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void one_thread_adds_shared(Bench<T>& bench) {
  const std::int64_t n = bench.n(), blocks = blocks_for(n, bench.block());
  launch(add_from_shared<T>, blocks, bench.block(), 2 * bench.block() * sizeof(T), bench.x(), bench.y(), n,
         bench.partials(blocks, bench.block() + 1));
}

template void one_thread_adds_shared(Bench<float>&);
template void one_thread_adds_shared(Bench<double>&);

}  // namespace foldline::ladder::dot
