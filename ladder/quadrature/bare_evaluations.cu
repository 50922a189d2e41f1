// Idea: the cost of the function itself: as many evaluations, four per thread in flight, at points computed
// by one addition each, without a useful sum.
// Fixes: not a rung.
// Limit: the units that compute the function.
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T, class F>
__global__ void only_evaluate(F f, std::int64_t n, T h, T* sink) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const T step = static_cast<T>(threads) * h;
  T x = middle_of(i, h), all = 0;
  for (; i + 3 * threads < n; i += 4 * threads, x += 4 * step)
    all += (f(x) + f(x + step)) + (f(x + 2 * step) + f(x + 3 * step));
  for (; i < n; i += threads, x += step) all += f(x);
  if (all < 0) *sink = all;  // never, but the compiler cannot know
}

}  // namespace

template <class T>
void bare_evaluations(Bench<T>& bench) {
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n();
    launch(only_evaluate<T, decltype(f)>, resident_blocks(n, bench.block()), bench.block(), 0, f, n,
           width_of<T>(n), static_cast<T*>(bench.scratch(sizeof(T))));
  });
}

template void bare_evaluations(Bench<float>&);
template void bare_evaluations(Bench<double>&);

}  // namespace foldline::ladder::quadrature
