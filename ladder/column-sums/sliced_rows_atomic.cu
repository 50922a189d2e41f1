// Idea: blocks of 64 x 16 threads: thread (c, s) sums slice s of the rows of column c, and adds that to the
// column's sum with atomicAdd.
// Fixes: sixteen times as many threads. The textbook's slices have rows / 16 rows, so it loses the last rows
// if 16 does not divide their number; here slice s ends where slice s + 1 begins.
// Limit: one block on one multiprocessor; with 8 columns, an eighth of its threads. The order of the atomic
// additions is not determined, nor are the last bits of the sums.
#include "column-sums/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {
namespace {

__global__ void add_slices(const double* matrix, std::int64_t rows, std::int64_t columns, double* sums) {
  const std::int64_t c = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const std::int64_t first = rows * threadIdx.y / blockDim.y, end = rows * (threadIdx.y + 1) / blockDim.y;
  double sum = 0;
  for (std::int64_t r = first; r < end; ++r) sum += matrix[r * columns + c];
  atomicAdd(sums + c, sum);
}

}  // namespace

void sliced_rows_atomic(Bench& bench) {
  double* const sums = bench.sums(static_cast<double>(bench.rows() / 16) + 17);
  clear(sums, bench.columns() * sizeof(double));
  launch(add_slices, blocks_for(bench.columns(), 64), dim3(64, 16), 0, bench.matrix(), bench.rows(),
         bench.columns(), sums);
}

}  // namespace foldline::ladder::column_sums
