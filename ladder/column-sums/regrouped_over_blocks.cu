// Idea: the textbook's 8 blocks of 8 x 128 threads, with its columns regrouped over the blocks: an eighth of
// the columns in each block, whose 1024 threads share their rows in slices.
// Fixes: eight multiprocessors rather than one, and no idle threads for 8 columns. The textbook's slices drop
// the last rows if their number does not divide; here slice s ends where slice s + 1 begins.
// Limit: its 64 columns at most. With 8 columns a block has one, so the lanes of a warp read from 32 slices:
// 32 sectors in each load, three quarters of every sector for nothing. With 32 or 64 columns it is 8 sectors.
#include "column-sums/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {
namespace {

constexpr int blocks = 8, threads = 1024;

__global__ void add_regrouped_over_blocks(const double* matrix, std::int64_t rows, int columns,
                                          double* sums) {
  const int of_block = columns / gridDim.x, slices = blockDim.x * blockDim.y / of_block;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  const int c = blockIdx.x * of_block + t % of_block, slice = t / of_block;
  const std::int64_t first = rows * slice / slices, end = rows * (slice + 1) / slices;
  double sum = 0;
  for (std::int64_t r = first; r < end; ++r) sum += matrix[r * columns + c];
  atomicAdd(sums + c, sum);
}

}  // namespace

void regrouped_over_blocks(Bench& bench) {
  const std::int64_t rows = bench.rows(), columns = bench.columns();
  if (columns != 8 && columns != 16 && columns != 32 && columns != 64)
    unsupported("its indices are for 8, 16, 32 or 64 columns, not for", columns);
  const std::int64_t slices = threads / (columns / blocks);
  double* const sums = bench.sums(static_cast<double>(rows / slices + slices) + 1);
  clear(sums, columns * sizeof(double));
  launch(add_regrouped_over_blocks, blocks, dim3(8, 128), 0, bench.matrix(), rows, static_cast<int>(columns),
         sums);
}

}  // namespace foldline::ladder::column_sums
