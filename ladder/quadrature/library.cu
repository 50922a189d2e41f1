// Idea: foldline::cuda::integrate with Simpson's rule: one call, the function as it is.
// Fixes: the sum of the samples is exact and rounded once, so it does not drift, and the bits are the same in
// every run, on any GPU, and on the CPU if the function is computed alike there.
// Limit: the function, and some operations in double precision for each sample. Samples are doubles, of
// floats the result only. The call returns with the result on the host, so its times by events include that.
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
