// Idea: foldline::async::reduce_columns on the same device memory.
// Fixes: each sum is exact and rounded once: the same bits for any grid.
// Limit: memory bandwidth; for few rows, the launch and the combination of blocks.
#include "column-sums/bench.hpp"
#include "common/library_context.hpp"

namespace foldline::ladder::column_sums {

void library(Bench& bench) {
  const MatrixView matrix(bench.matrix(), bench.rows(), bench.columns());
  async::reduce_columns(Operation::sum, matrix, MutableArrayView(bench.sums(0), {bench.columns()}), {},
                        library_queue(), library_context);
}

}  // namespace foldline::ladder::column_sums
