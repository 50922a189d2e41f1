// Idea: one core of the CPU evaluates the function in the middle of each interval and adds to a running sum.
// Fixes: nothing yet: the loop of every textbook, by the midpoint rule.
// Limit: one core; and the sum, which grows while the samples do not, so each addition rounds more: with 2^24
// samples in float the first digits are wrong, as soon as a sample is less than a unit in the sum's last
// place.
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
