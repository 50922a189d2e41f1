// Idea: each thread adds its own samples, with grid stride, in a register; the block adds these sums by
// shuffles (common/block_sum.cuh), and one number per block is copied to the host.
// Fixes: no samples in memory, and no long sum: a sample passes n / threads + 10 additions, not n, so the
// drift nearly disappears.
// Limit: the function itself. The error of the rule falls only with the square of the interval width.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T, class F>
__global__ void add_middles(F f, std::int64_t n, T h, T* partials) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    sum += f(middle_of(i, h));
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void midpoint(Bench<T>& bench) {
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n(), blocks = resident_blocks(n, bench.block());
    launch(add_middles<T, decltype(f)>, blocks, bench.block(), 0, f, n, width_of<T>(n),
           bench.partials(blocks, Rule::midpoint, depth_of_grid(n, blocks, bench.block())));
  });
}

template void midpoint(Bench<float>&);
template void midpoint(Bench<double>&);

}  // namespace foldline::ladder::quadrature
