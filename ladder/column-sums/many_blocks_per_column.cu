// Idea: every block takes a slice of the rows, with all columns; neighbouring threads take neighbouring
// elements, row after row. A thread stays in its column and adds its sum to the column's with atomicAdd.
// Fixes: the whole GPU works, and a warp's load is contiguous.
// Limit: atomic additions: thousands of threads add to each of few columns, one after another, and the last
// bits of the sums depend on their order. On an H200, 160000 x 8 take 84 us, more than the two rungs before,
// nearly all of it for the 33792 additions to each sum.
#include "column-sums/bench.hpp"
#include "column-sums/slices.cuh"
#include "runner/errors.hpp"

namespace foldline::ladder::column_sums {
namespace {

__global__ void add_slice_atomically(const double* matrix, std::int64_t rows, std::int64_t columns,
                                     double* sums) {
  const int lanes = threads_in_use(columns);
  if (threadIdx.x >= lanes) return;
  for (std::int64_t c = columns < lanes ? threadIdx.x % columns : threadIdx.x; c < columns; c += lanes)
    atomicAdd(sums + c, thread_sum(matrix, rows, columns, c, lanes));
}

}  // namespace

void many_blocks_per_column(Bench& bench) {
  const std::int64_t rows = bench.rows(), columns = bench.columns();
  const std::int64_t shared_by =
      columns == 0 ? 0 : slice_threads / columns * slice_blocks();  // additions to a column's sum
  double* const sums = bench.sums(depth_of_slices(rows, columns) + static_cast<double>(shared_by));
  clear(sums, columns * sizeof(double));
  launch(add_slice_atomically, columns == 0 ? 0 : slice_blocks(), slice_threads, 0, bench.matrix(), rows,
         columns, sums);
}

}  // namespace foldline::ladder::column_sums
