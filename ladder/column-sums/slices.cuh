// Slices of rows, one per block, whose threads stay in their columns.
#pragma once

#include <cstdint>

#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {

constexpr int slice_threads = 512, blocks_per_multiprocessor = 4;

inline std::int64_t slice_blocks() { return std::int64_t{multiprocessors()} * blocks_per_multiprocessor; }

/// Threads of a block that get elements: as many whole rows as it holds, or all threads if not even one row
/// fits.
__device__ inline int threads_in_use(std::int64_t columns) {
  return columns < slice_threads ? slice_threads - slice_threads % static_cast<int>(columns) : slice_threads;
}

/// The thread's sum of column c: rows of the block's slice, `lanes` / columns apart, four loads in flight at
/// a time.
__device__ inline double thread_sum(const double* matrix, std::int64_t rows, std::int64_t columns,
                                    std::int64_t c, int lanes) {
  const std::int64_t step = columns < lanes ? lanes / columns : 1;
  const std::int64_t end = rows * (blockIdx.x + 1) / gridDim.x;
  std::int64_t r = rows * blockIdx.x / gridDim.x + (columns < lanes ? threadIdx.x / columns : 0);
  double sum = 0;
  for (; r + 3 * step < end; r += 4 * step) {
    const double* const element = matrix + r * columns + c;
    const std::int64_t apart = step * columns;
    sum += (element[0] + element[apart]) + (element[2 * apart] + element[3 * apart]);
  }
  for (; r < end; r += step) sum += matrix[r * columns + c];
  return sum;
}

/// The depth: additions of a thread, of the threads of a block, and of the blocks.
inline double depth_of_slices(std::int64_t rows, std::int64_t columns) {
  const std::int64_t step = columns == 0 || columns >= slice_threads ? 1 : slice_threads / columns;
  return static_cast<double>(rows / (slice_blocks() * step) + step + slice_blocks()) + 8;
}

}  // namespace foldline::ladder::column_sums
