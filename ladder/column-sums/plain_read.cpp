// Idea: what memory allows: the matrix read, 16 bytes a load, and next to nothing done with it
// (runner/plain_read.cu).
// Fixes: it is no rung.
// Limit: memory.
#include "runner/plain_read.hpp"

#include "column-sums/bench.hpp"

namespace foldline::ladder::column_sums {

void plain_read(Bench& bench) {
  read_memory(bench.matrix(), bench.rows() * bench.columns() * 8,
              static_cast<int*>(bench.scratch(sizeof(int))));
}

}  // namespace foldline::ladder::column_sums
