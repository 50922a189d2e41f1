// Idea: the same 8192 threads, regrouped over the matrix rather than over blocks: thread t takes every 8192nd
// element from element t on, if the number of columns divides 8192, and otherwise the threads of a whole
// number of rows are used.
// Fixes: the lanes of a warp read 32 neighbouring elements: 8 sectors in each load, whatever the number of
// columns, which may be any.
// Limit: eight of 132 multiprocessors.
#include "column-sums/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {
namespace {

__global__ void add_regrouped(const double* matrix, std::int64_t rows, std::int64_t columns, double* sums) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x * blockDim.y;
  const std::int64_t thread =
      (std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const std::int64_t per_column = threads > columns ? threads / columns : 1;  // threads that share a column
  for (std::int64_t i = thread; i < per_column * columns; i += threads) {
    const std::int64_t c = i % columns;
    double sum = 0;
    for (std::int64_t r = i / columns; r < rows; r += per_column) sum += matrix[r * columns + c];
    atomicAdd(sums + c, sum);
  }
}

}  // namespace

void regrouped_columns(Bench& bench) {
  const std::int64_t per_column = bench.columns() == 0 || bench.columns() > 8192 ? 1 : 8192 / bench.columns();
  double* const sums = bench.sums(static_cast<double>(bench.rows() / per_column + per_column) + 1);
  clear(sums, bench.columns() * sizeof(double));
  launch(add_regrouped, bench.columns() == 0 ? 0 : 8, dim3(8, 128), 0, bench.matrix(), bench.rows(),
         bench.columns(), sums);
}

}  // namespace foldline::ladder::column_sums
