// A learner's own integral.
#include "quadrature/rungs.hpp"

namespace foldline::ladder::quadrature {

/// It may add in any order.
template <class T>
void attempt(Bench<T>& bench) {
  SolveIntegral<T>::run(static_cast<int>(bench.n()),
                        bench.partials(1, Rule::midpoint, static_cast<double>(bench.n())));
}

template void attempt(Bench<float>&);
template void attempt(Bench<double>&);

}  // namespace foldline::ladder::quadrature
