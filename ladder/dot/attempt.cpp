// A learner's own dot product.
#include "dot/rungs.hpp"

namespace foldline::ladder::dot {

/// It may add in any order.
template <class T>
void attempt(Bench<T>& bench) {
  SolveDot<T>::run(bench.x(), bench.y(), static_cast<int>(bench.n()),
                   bench.partials(1, static_cast<double>(bench.n())));
}

template void attempt(Bench<float>&);
template void attempt(Bench<double>&);

}  // namespace foldline::ladder::dot
