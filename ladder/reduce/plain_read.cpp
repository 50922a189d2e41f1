// Idea: the memory bandwidth: reads the same bytes, 16 per load, eight loads in flight, with almost no
// arithmetic (runner/plain_read.cu).
// Fixes: not a rung.
// Limit: memory bandwidth.
#include "runner/plain_read.hpp"

#include "reduce/bench.hpp"

namespace foldline::ladder::reduce {

void plain_read(Bench& bench) {
  read_memory(bench.x(), bench.n() * 4, static_cast<int*>(bench.scratch(sizeof(int))));
}

}  // namespace foldline::ladder::reduce
