// Idea: the same with a compare-and-swap loop, because GPUs before compute capability 6.0 have no atomicAdd
// for double: read, add, and write if the value is unchanged, else repeat.
// Fixes: nothing today. It shows how to make any operation atomic.
// Limit: of threads that collide, one succeeds each time and the others repeat.
#include "column-sums/bench.hpp"
#include "runner/errors.hpp"
#include "runner/launch.cuh"

namespace foldline::ladder::column_sums {
namespace {

__device__ void add_atomically(double* address, double value) {
  unsigned long long* const word = reinterpret_cast<unsigned long long*>(address);
  unsigned long long seen = *word, expected;
  do {  // compared as bits, because NaN != NaN
    expected = seen;
    seen = atomicCAS(word, expected, __double_as_longlong(value + __longlong_as_double(expected)));
  } while (seen != expected);
}

__global__ void add_slices_by_swap(const double* matrix, std::int64_t rows, std::int64_t columns,
                                   double* sums) {
  const std::int64_t c = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  const std::int64_t first = rows * threadIdx.y / blockDim.y, end = rows * (threadIdx.y + 1) / blockDim.y;
  double sum = 0;
  for (std::int64_t r = first; r < end; ++r) sum += matrix[r * columns + c];
  add_atomically(sums + c, sum);
}

}  // namespace

void sliced_rows_compare_and_swap(Bench& bench) {
  double* const sums = bench.sums(static_cast<double>(bench.rows() / 16) + 17);
  clear(sums, bench.columns() * sizeof(double));
  launch(add_slices_by_swap, blocks_for(bench.columns(), 64), dim3(64, 16), 0, bench.matrix(), bench.rows(),
         bench.columns(), sums);
}

}  // namespace foldline::ladder::column_sums
