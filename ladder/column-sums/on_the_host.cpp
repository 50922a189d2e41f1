// Idea: one core of the CPU reads the matrix row by row and adds each element to its column's sum.
// Fixes: every cache line that it fetches is used up at once, and read once. The textbook compares its
// kernels with the loop before, which is several times slower.
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
