// Idea: c = a + b + a constant from constant memory: the same word for all lanes, or another word for each
// lane.
// Fixes: not a rung: it shows what constant memory is for. One word for all lanes costs as much as an
// immediate; 32 words are read one after another.
// Limit: memory bandwidth in the first case, serialised reads in the second.
#include "common/grid.cuh"
#include "memory/bench.hpp"
#include "runner/errors.hpp"

namespace foldline::ladder::memory {
namespace {

__constant__ int constants[1024];

template <int Spread>
__global__ void add_constant(const int* a, const int* b, std::int64_t n, int* c) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    c[i] = a[i] + b[i] + constants[5 + i % Spread];
}

template <int Spread>
void add(Bench& bench) {
  static bool filled = false;  // a rung has a process of its own
  if (!filled) {
    int host[1024];
    for (int i = 0; i < 1024; ++i) host[i] = 2 * i;
    check(cudaMemcpyToSymbol(constants, host, sizeof host), "filling constant memory");
    filled = true;
  }
  const std::int64_t n = bench.n();
  launch(add_constant<Spread>, resident_blocks(n, 256), 256, 0, bench.a(), bench.b(), n, bench.results(n));
}

}  // namespace

void constant_broadcast(Bench& bench) { add<1>(bench); }
void constant_scattered(Bench& bench) { add<512>(bench); }

}  // namespace foldline::ladder::memory
