// Idea: thread c sums column c; blocks of 128, as in the textbook.
// Fixes: it runs on the GPU, and neighbouring threads read neighbouring elements.
// Limit: with 8 to 64 columns only 8 to 64 threads of the whole GPU work, each waiting for one load after
// another.
#include "column-sums/bench.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {
namespace {

__global__ void add_column(const double* matrix, std::int64_t rows, std::int64_t columns, double* sums) {
  const std::int64_t c = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  double sum = 0;
  for (std::int64_t r = 0; r < rows; ++r) sum += matrix[r * columns + c];
  sums[c] = sum;
}

}  // namespace

void one_thread_per_column(Bench& bench) {
  launch(add_column, blocks_for(bench.columns(), 128), 128, 0, bench.matrix(), bench.rows(), bench.columns(),
         bench.sums(static_cast<double>(bench.rows())));
}

}  // namespace foldline::ladder::column_sums
