// A learner's own product of matrices.
#include "matmul/rungs.hpp"

namespace foldline::ladder::matmul {

template <class T>
void attempt(Bench<T>& bench) {
  const Product<T> p = bench.product();
  SolveProduct<T>::run(p.a, p.b, p.c, p.rows, p.inner, p.columns);
}

template void attempt(Bench<float>&);
template void attempt(Bench<double>&);

}  // namespace foldline::ladder::matmul
