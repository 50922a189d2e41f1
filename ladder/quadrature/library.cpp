// Idea: foldline::integrate with Simpson's rule, on all cores of the CPU: one call, the function as it is.
// Fixes: the sum of the samples is exact and rounded once, so it does not drift, and has the same bits for
// any number of threads.
// Limit: the function, on the CPU. Samples are doubles, of floats the result only.
#include <foldline/quadrature.hpp>

#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {

template <class T>
void library(Bench<T>& bench) {
  need_pairs(bench.n());
  with(bench.integrand(), [&](auto f) {
    const double integral = integrate(f, 0, 1, foldline::Rule::simpson(), bench.n()).value;
    bench.set_result(static_cast<T>(integral), Rule::simpson, 0);
  });
}

template void library(Bench<float>&);
template void library(Bench<double>&);

}  // namespace foldline::ladder::quadrature
