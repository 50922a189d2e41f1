// Idea: what memory allows: the same bytes read, 16 a load, eight loads on their way at a time, and next to
// nothing done with them (runner/plain_read.cu).
// Fixes: it is no rung.
// Limit: memory.
#include "runner/plain_read.hpp"

#include "reduce/bench.hpp"

namespace foldline::ladder::reduce {

void plain_read(Bench& bench) {
  read_memory(bench.x(), bench.n() * 4, static_cast<int*>(bench.scratch(sizeof(int))));
}

}  // namespace foldline::ladder::reduce
