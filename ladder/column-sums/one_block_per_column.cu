// Idea: a block of 1024 threads per column; its threads add rows 1024 apart, then each other's sums by
// shuffles. The author of the textbook tried this, with 1024 threads as he writes, got wrong sums, and did
// not know why; his kernel is not shown.
// Fixes: no atomic additions: one block owns the column, so the sums are reproducible. One way to sums that
// are wrong without any message is a block of more than 1024 threads, say 64 x 17 = 1088: it is never
// launched, the sums stay as they were, and nothing reports it unless the program checks for errors, as
// launch() does. The rung tries that first, and continues only if it was refused.
// Limit: neighbouring threads read elements a whole row apart: a sector of 32 bytes for every 8 needed, and
// other blocks load the same sectors again. Eight columns occupy eight multiprocessors: on an H200, 160000 x
// 8 take 45 us, a third more than the rung before; 64 columns take a fifth.
#include "column-sums/bench.hpp"
#include "common/block_sum.cuh"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {
namespace {

__global__ void add_column_by_block(const double* matrix, std::int64_t rows, std::int64_t columns,
                                    double* sums) {
  const std::int64_t c = blockIdx.x;
  double sum = 0;
  for (std::int64_t r = threadIdx.y * blockDim.x + threadIdx.x; r < rows; r += blockDim.x * blockDim.y)
    sum += matrix[r * columns + c];
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[c] = sum;
}

/// Not with launch(), which would throw.
bool refuses_1088_threads(Bench& bench, double* sums) {
  const double* matrix = bench.matrix();
  std::int64_t rows = bench.rows(), columns = bench.columns();
  void* arguments[] = {&matrix, &rows, &columns, &sums};
  const cudaError_t error =
      cudaLaunchKernel(add_column_by_block, dim3(1), dim3(64, 17), arguments, 0, nullptr);
  cudaGetLastError();
  return error != cudaSuccess;
}

}  // namespace

void one_block_per_column(Bench& bench) {
  double* const sums = bench.sums(static_cast<double>(bench.rows() / 1024) + 12);
  static const bool refused = refuses_1088_threads(bench, sums);
  if (!refused)
    unsupported("a block of 1088 threads should have been refused; threads that a block may have:", 1024);
  launch(add_column_by_block, bench.columns(), 1024, 0, bench.matrix(), bench.rows(), bench.columns(), sums);
}

}  // namespace foldline::ladder::column_sums
