// Idea: a block publishes the total of its part at once, and looks back over the parts before it, a warp at a
// time, adding their totals until it finds one whose inclusive prefix is published (Merrill and Garland
// 2016).
// Fixes: elements are read and written once, in one kernel, without a chain of waiting: a total is available
// as soon as its part has been read. Threads take eight neighbouring elements each. Total and state share a
// 64-bit word, so no fence is needed.
// Limit: memory bandwidth: the speed of a copy.
#include "runner/errors.hpp"
#include "runner/launch.cuh"
#include "scan/bench.hpp"
#include "scan/look_back.cuh"

namespace foldline::ladder::scan {
namespace {

constexpr int per_thread = 8;

/// Eight elements from i on, with two 16-byte loads of one sector; zeros after the end.
__device__ void load(const int* x, std::int64_t n, std::int64_t i, int (&value)[per_thread]) {
  if (i + per_thread <= n) {
    const int4 a = *reinterpret_cast<const int4*>(x + i), b = *reinterpret_cast<const int4*>(x + i + 4);
    value[0] = a.x, value[1] = a.y, value[2] = a.z, value[3] = a.w;
    value[4] = b.x, value[5] = b.y, value[6] = b.z, value[7] = b.w;
  } else {
    for (int k = 0; k < per_thread; ++k) value[k] = i + k < n ? x[i + k] : 0;
  }
}

__device__ void store(int* out, std::int64_t n, std::int64_t i, const int (&value)[per_thread]) {
  if (i + per_thread <= n) {
    *reinterpret_cast<int4*>(out + i) = make_int4(value[0], value[1], value[2], value[3]);
    *reinterpret_cast<int4*>(out + i + 4) = make_int4(value[4], value[5], value[6], value[7]);
  } else {
    for (int k = 0; k < per_thread && i + k < n; ++k) out[i + k] = value[k];
  }
}

__global__ void scan_with_look_back(const int* x, std::int64_t n, int* out, unsigned* tickets,
                                    State* states) {
  __shared__ unsigned part;
  __shared__ int before_part;
  if (threadIdx.x == 0)
    part = atomicAdd(tickets, 1u);  // in ticket order, the parts before are running or done
  __syncthreads();
  const std::int64_t i = (std::int64_t{part} * blockDim.x + threadIdx.x) * per_thread;
  int value[per_thread], total;
  load(x, n, i, value);
#pragma unroll
  for (int k = 1; k < per_thread; ++k) value[k] += value[k - 1];
  const int own = value[per_thread - 1], of_threads = block_scan(own, total);
  if (threadIdx.x < 32) {
    const int sum = look_back(states, part, total);
    if (threadIdx.x == 0) before_part = sum;
  }
  __syncthreads();
  const int before = before_part + of_threads - own;
#pragma unroll
  for (int k = 0; k < per_thread; ++k) value[k] += before;
  store(out, n, i, value);
}

}  // namespace

void decoupled_look_back(Bench& bench) {
  const std::int64_t n = bench.n(), parts = blocks_for(n, bench.block() * per_thread);
  const std::size_t bytes = (parts + 1) * sizeof(State);
  State* const states = static_cast<State*>(bench.scratch(bytes));
  clear(states, bytes);
  unsigned* const tickets = reinterpret_cast<unsigned*>(states + parts);
  launch(scan_with_look_back, parts, bench.block(), 0, bench.x(), n, bench.out(), tickets, states);
}

}  // namespace foldline::ladder::scan
