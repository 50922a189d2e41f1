// Idea: foldline::reduce_columns on the same device memory.
// Fixes: each sum is the exact one, rounded once: the same bits whatever the shape of the grid.
// Limit: the speed of memory for large matrices; for small ones the call, which returns with the sums on the
// host, so its times by events include that.
#include <foldline/axes.hpp>

#include "column-sums/bench.hpp"

namespace foldline::ladder::column_sums {

void library(Bench& bench) {
  const MatrixView matrix(bench.matrix(), bench.rows(), bench.columns());
  reduce_columns(Operation::sum, matrix, MutableArrayView(bench.host_sums(0), {bench.columns()}), 0,
                 {.device = Device::cuda()});
}

}  // namespace foldline::ladder::column_sums
