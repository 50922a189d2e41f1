// Idea: a parabola over each pair of intervals: the same samples with the weights 1, 4, 2, 4, ..., 2, 4, 1,
// whose products are exact.
// Fixes: for smooth functions the error falls with the fourth power of the interval width: as many digits
// from hundreds of samples as the rungs before get from millions.
// Limit: the function, as before; the infinite slope of a square root at 0, where no order helps; and
// roundings, which now dominate.
#include "common/block_sum.cuh"
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T, class F>
__global__ void add_parabolas(F f, std::int64_t n, T h, T* partials) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  T sum = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i <= n; i += threads) {
    const T weight = i == 0 || i == n ? T(1) : i % 2 == 1 ? T(4) : T(2);
    sum += weight * f(end_of(i, h));
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

}  // namespace

template <class T>
void simpson(Bench<T>& bench) {
  need_pairs(bench.n());
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n(), blocks = resident_blocks(n + 1, bench.block());
    launch(add_parabolas<T, decltype(f)>, blocks, bench.block(), 0, f, n, width_of<T>(n),
           bench.partials(blocks, Rule::simpson, depth_of_grid(n + 1, blocks, bench.block())));
  });
}

template void simpson(Bench<float>&);
template void simpson(Bench<double>&);

}  // namespace foldline::ladder::quadrature
