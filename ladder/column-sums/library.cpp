// Idea: foldline::column_sums on the same device memory.
// Fixes: each sum is the exact one, rounded once: the same bits whatever the shape of the grid.
// Limit: until the library adds along an axis on a GPU, it refuses, and the line says so.
#include <foldline/axes.hpp>

#include "column-sums/bench.hpp"
#include "runner/problem.hpp"

namespace foldline::ladder::column_sums {

void library(Bench& bench) {
  try {
    const MatrixView matrix(bench.matrix(), bench.rows(), bench.columns());
    reduce_columns(Operation::sum, matrix, MutableArrayView(bench.host_sums(0), {bench.columns()}), 0,
                   {.device = Device::cuda()});
  } catch (const InvalidArgument& error) {
    throw NotHere(std::string("not on the GPU yet: ") + error.what());
  }
}

}  // namespace foldline::ladder::column_sums
