// Idea: the mean of the values at both ends of each interval: n + 1 samples, of which the first and the last
// have half weight.
// Fixes: samples are at the points of a table, including 0 and 1.
// Limit: its error is twice that of the midpoint rule, with the opposite sign, which Simpson's rule exploits.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T, class F>
__global__ void add_trapezoids(F f, std::int64_t n, T h, T* partials) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i <= n; i += threads) {
    const T weight = i == 0 || i == n ? T(0.5) : T(1);
    sum += weight * f(end_of(i, h));
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void trapezoid(Bench<T>& bench) {
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n(), blocks = resident_blocks(n + 1, bench.block());
    launch(add_trapezoids<T, decltype(f)>, blocks, bench.block(), 0, f, n, width_of<T>(n),
           bench.partials(blocks, Rule::trapezoid, depth_of_grid(n + 1, blocks, bench.block())));
  });
}

template void trapezoid(Bench<float>&);
template void trapezoid(Bench<double>&);

}  // namespace foldline::ladder::quadrature
