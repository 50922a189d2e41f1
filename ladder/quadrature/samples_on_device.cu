// Idea: the device evaluates and the host adds: thread i writes sample i, and all n are copied back.
// Fixes: thousands of threads compute the function at once.
// Limit: the copy, and the host's running sum, which drifts as before.
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"
#include "runner/launch.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T, class F>
__global__ void evaluate(F f, std::int64_t n, T h, T* samples) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) samples[i] = f(middle_of(i, h));
}

}  // namespace

template <class T>
void samples_on_device(Bench<T>& bench) {
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n();
    launch(evaluate<T, decltype(f)>, blocks_for(n, bench.block()), bench.block(), 0, f, n, width_of<T>(n),
           bench.samples());
  });
}

template void samples_on_device(Bench<float>&);
template void samples_on_device(Bench<double>&);

}  // namespace foldline::ladder::quadrature
