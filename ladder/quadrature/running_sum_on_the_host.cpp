// Idea: one core of the CPU takes the middle of each interval, and adds the function's value there to a
// running sum.
// Fixes: nothing yet: the loop of every textbook, by central rectangles.
// Limit: one core; and the sum, which grows while the samples do not. Each addition rounds it: 2^24 samples
// in float are off in the first digits, as soon as a sample is less than a unit in the sum's last place.
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {

template <class T>
void running_sum_on_the_host(Bench<T>& bench) {
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n();
    const T h = width_of<T>(n);
    T sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += f(middle_of(i, h));
    bench.set_result(sum * h, Rule::midpoint, static_cast<double>(n));
  });
}

template void running_sum_on_the_host(Bench<float>&);
template void running_sum_on_the_host(Bench<double>&);

}  // namespace foldline::ladder::quadrature
