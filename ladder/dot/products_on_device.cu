// Idea: the device multiplies and the host adds: thread i writes x[i] y[i], then goes on by as many elements
// as the grid has threads, and all n products are copied back.
// Fixes: nothing yet. The grid has n / block blocks, as in the textbook: what the division leaves is taken in
// the loop's second step. The textbook's grid is empty for n < block, and nothing is multiplied; here it has
// one block at least.
// Limit: copying n products to the host, which adds them one by one, much slower than the GPU could. The host
// adds in double: in float, as in the textbook, 2^24 products lose most of their digits.
#include "common/grid.cuh"
#include "dot/bench.hpp"

namespace foldline::ladder::dot {
namespace {

template <class T>
__global__ void multiply(const T* x, const T* y, std::int64_t n, T* products) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    products[i] = x[i] * y[i];
}

}  // namespace

template <class T>
void products_on_device(Bench<T>& bench) {
  const std::int64_t n = bench.n();
  launch(multiply<T>, whole_blocks(n, bench.block()), bench.block(), 0, bench.x(), bench.y(), n,
         bench.partials(n, 1));
}

template void products_on_device(Bench<float>&);
template void products_on_device(Bench<double>&);

}  // namespace foldline::ladder::dot
