// Idea: the memory bandwidth: reads the matrix, 16 bytes per load, with almost no arithmetic
// (runner/plain_read.cu).
// Fixes: not a rung.
// Limit: memory bandwidth.
#include "runner/plain_read.hpp"

#include "column-sums/bench.hpp"

namespace foldline::ladder::column_sums {

void plain_read(Bench& bench) {
  read_memory(bench.matrix(), bench.rows() * bench.columns() * 8,
              static_cast<int*>(bench.scratch(sizeof(int))));
}

}  // namespace foldline::ladder::column_sums
