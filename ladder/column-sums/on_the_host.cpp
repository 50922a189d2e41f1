// Idea: one core of the CPU reads the matrix row by row and adds each element to its column's sum.
// Fixes: nothing yet: it is the CPU time that the textbook compares its kernels with.
// Limit: the loads that one core can have in flight.
#include "column-sums/bench.hpp"

namespace foldline::ladder::column_sums {

void on_the_host(Bench& bench) {
  const double* const matrix = bench.host_matrix();
  double* const sums = bench.host_sums(static_cast<double>(bench.rows()));
  const std::int64_t columns = bench.columns();
  for (std::int64_t c = 0; c < columns; ++c) sums[c] = 0;
  for (std::int64_t r = 0; r < bench.rows(); ++r)
    for (std::int64_t c = 0; c < columns; ++c) sums[c] += matrix[r * columns + c];
}

}  // namespace foldline::ladder::column_sums
