// Idea: foldline::dot and foldline::vector_two_norm on the same device memory.
// Fixes: the products are exact and the sum is rounded once, so the error is at most half a unit in the last
// place and the bits are the same for any grid; nothing overflows on the way.
// Limit: the speed of memory. The call returns with the result on the host, so its times by events include
// that.
#include <foldline/operations.hpp>

#include "dot/bench.hpp"

namespace foldline::ladder::dot {

template <class T>
void library_dot(Bench<T>& bench) {
  const VectorView x(bench.x(), bench.n()), y(bench.y(), bench.n());
  bench.set_result(foldline::dot<T>(x, y, {.device = Device::cuda()}), 0);
}

template <class T>
void library_norm(Bench<T>& bench) {
  bench.set_result(vector_two_norm<T>(VectorView(bench.x(), bench.n()), {.device = Device::cuda()}), 0);
}

template void library_dot(Bench<float>&);
template void library_dot(Bench<double>&);

template void library_norm(Bench<float>&);
template void library_norm(Bench<double>&);

}  // namespace foldline::ladder::dot
