// Idea: foldline::integrate with Simpson's rule on all cores of the CPU.
// Fixes: nothing: it is the same call without a GPU, with the same bits if both compute the same function
// values.
// Limit: the function, on the CPU. Samples are doubles; for float only the result is rounded to float.
#include <foldline/quadrature.hpp>

#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {

template <class T>
void library_on_the_host(Bench<T>& bench) {
  need_pairs(bench.n());
  with(bench.integrand(), [&](auto f) {
    const double integral = integrate(f, 0, 1, foldline::Rule::simpson(), bench.n()).value;
    bench.set_result(static_cast<T>(integral), Rule::simpson, 0);
  });
}

template void library_on_the_host(Bench<float>&);
template void library_on_the_host(Bench<double>&);

}  // namespace foldline::ladder::quadrature
