// Idea: foldline::cuda::integrate with Simpson's rule: one call with the function.
// Fixes: the sum of the samples is exact and rounded once, so it does not drift, and the bits are the same in
// every run, on any GPU, and on the CPU if it computes the same function values.
// Limit: the function, and some double-precision operations per sample. Samples are doubles; for float only
// the result is rounded to float. The call returns with the result on the host, so its event times include
// that.
#include <foldline/cuda/quadrature.cuh>

#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {

template <class T>
void library(Bench<T>& bench) {
  need_pairs(bench.n());
  with(bench.integrand(), [&](auto f) {
    const double integral = cuda::integrate(f, 0, 1, foldline::Rule::simpson(), bench.n()).value;
    bench.set_result(static_cast<T>(integral), Rule::simpson, 0);
  });
}

template void library(Bench<float>&);
template void library(Bench<double>&);

}  // namespace foldline::ladder::quadrature
