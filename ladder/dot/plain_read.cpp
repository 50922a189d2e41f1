// Idea: what memory allows: both vectors read, 16 bytes a load, and next to nothing done with them
// (runner/plain_read.cu).
// Fixes: it is no rung.
// Limit: memory.
#include "runner/plain_read.hpp"

#include "dot/bench.hpp"

namespace foldline::ladder::dot {

template <class T>
void plain_read(Bench<T>& bench) {
  const std::int64_t bytes = bench.n() * static_cast<std::int64_t>(sizeof(T));
  read_memory(bench.x(), bench.y(), bytes, static_cast<int*>(bench.scratch(sizeof(int))));
}

template void plain_read(Bench<float>&);
template void plain_read(Bench<double>&);

}  // namespace foldline::ladder::dot
