// Idea: a block combines its threads' sums of a column in shared memory and writes one number per column; a
// second kernel adds the numbers of all blocks.
// Fixes: no atomic additions: reproducible bits, and no contention on a column.
// Limit: memory bandwidth for large matrices; the second launch for small ones.
#include "column-sums/bench.hpp"
#include "column-sums/slices.cuh"
#include "common/block_sum.cuh"

namespace foldline::ladder::column_sums {
namespace {

/// partials[block * columns + c]: the block's sum of column c.
__global__ void add_slice(const double* matrix, std::int64_t rows, std::int64_t columns, double* partials) {
  __shared__ double of_thread[slice_threads];
  const int lanes = threads_in_use(columns);
  double* const partial = partials + blockIdx.x * columns;
  if (columns >= lanes) {  // a thread has whole columns that no other thread shares
    for (std::int64_t c = threadIdx.x; c < columns; c += lanes)
      partial[c] = thread_sum(matrix, rows, columns, c, lanes);
    return;  // all threads of the block return
  }
  if (threadIdx.x < lanes)
    of_thread[threadIdx.x] = thread_sum(matrix, rows, columns, threadIdx.x % columns, lanes);
  __syncthreads();
  if (threadIdx.x >= columns) return;
  double sum = 0;
  for (int i = threadIdx.x; i < lanes; i += static_cast<int>(columns)) sum += of_thread[i];
  partial[threadIdx.x] = sum;
}

/// One warp per column.
__global__ void add_partials(const double* partials, std::int64_t blocks, std::int64_t columns,
                             double* sums) {
  const std::int64_t c = blockIdx.x;
  double sum = 0;
  for (std::int64_t b = threadIdx.x; b < blocks; b += 32) sum += partials[b * columns + c];
  sum = warp_sum(sum);
  if (threadIdx.x == 0) sums[c] = sum;
}

}  // namespace

void two_passes(Bench& bench) {
  const std::int64_t rows = bench.rows(), columns = bench.columns(),
                     blocks = columns == 0 ? 0 : slice_blocks();
  double* const partials = static_cast<double*>(bench.scratch(blocks * columns * sizeof(double)));
  launch(add_slice, blocks, slice_threads, 0, bench.matrix(), rows, columns, partials);
  launch(add_partials, columns, 32, 0, partials, blocks, columns, bench.sums(depth_of_slices(rows, columns)));
}

}  // namespace foldline::ladder::column_sums
