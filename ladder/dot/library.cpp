// Idea: foldline::async::dot and vector_two_norm on the same device memory.
// Fixes: the products are exact and the sum is rounded once, so the error is at most half a unit in the last
// place, the bits are the same for any grid, and no intermediate result overflows.
// Limit: memory bandwidth; for few elements, the launch and the combination of blocks.
#include "common/library_context.hpp"
#include "dot/bench.hpp"

namespace foldline::ladder::dot {

template <class T>
void library_dot(Bench<T>& bench) {
  const VectorView x(bench.x(), bench.n()), y(bench.y(), bench.n());
  async::dot(x, y, bench.result(0), library_queue(), library_context);
}

template <class T>
void library_norm(Bench<T>& bench) {
  async::vector_two_norm(VectorView(bench.x(), bench.n()), bench.result(0), library_queue(), library_context);
}

template void library_dot(Bench<float>&);
template void library_dot(Bench<double>&);

template void library_norm(Bench<float>&);
template void library_norm(Bench<double>&);

}  // namespace foldline::ladder::dot
