// Idea: the textbook's loop on one core of the CPU: column after column, each from the first row to the last.
// Fixes: nothing yet; *x first* in the table is the ratio to its time.
// Limit: neighbouring elements of a column are a whole row apart: for 8 bytes that it adds, the core fetches
// a cache line of 64, and the whole matrix again for each column.
#include "column-sums/bench.hpp"

namespace foldline::ladder::column_sums {

void column_by_column_on_the_host(Bench& bench) {
  const double* const matrix = bench.host_matrix();
  double* const sums = bench.host_sums(static_cast<double>(bench.rows()));
  const std::int64_t columns = bench.columns();
  for (std::int64_t c = 0; c < columns; ++c) {
    double sum = 0;
    for (std::int64_t r = 0; r < bench.rows(); ++r) sum += matrix[r * columns + c];
    sums[c] = sum;
  }
}

}  // namespace foldline::ladder::column_sums
