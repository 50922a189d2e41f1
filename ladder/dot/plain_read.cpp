// Idea: the memory bandwidth: reads both vectors, 16 bytes per load, with almost no arithmetic
// (runner/plain_read.cu).
// Fixes: not a rung.
// Limit: memory bandwidth.
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
