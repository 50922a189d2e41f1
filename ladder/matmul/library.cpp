// Idea: foldline::matrix_product on the same device memory.
// Fixes: each entry is exact and rounded once: the same bits on any device and for any order.
// Limit: the exact product takes several products of slices, each as much work as the product of the rungs
// before. The call returns when C is complete, so its event times include that.
#include <foldline/matrix_product.hpp>

#include "common/library_context.hpp"
#include "matmul/bench.hpp"

namespace foldline::ladder::matmul {

template <class T>
void library(Bench<T>& bench) {
  const Product<T> p = bench.correctly_rounded_product();
  matrix_product(MatrixView(p.a, p.rows, p.inner), MatrixView(p.b, p.inner, p.columns),
                 MutableArrayView(p.c, {p.rows, p.columns}), {}, {.execution = {.device = library_device}});
}

template void library(Bench<float>&);
template void library(Bench<double>&);

}  // namespace foldline::ladder::matmul
