// Idea: the textbook's three steps: every thread has a slot of a buffer in shared memory, clears it, and adds
// its products there; the block adds the slots in a tree, halving their number in each of log2(block) steps;
// the host adds the blocks' sums.
// Fixes: all threads of the block add, not one: log2(block) steps, not block additions, one after another.
// Limit: a grid of n / block blocks, as in the textbook: each thread has one product or two, and the host as
// many sums as there are blocks. A slot is read and written for each product, where a register would do.
#include "common/grid.cuh"
#include "dot/bench.hpp"

namespace foldline::ladder::dot {
namespace {

// The tree for a block of 8; thread t adds slot t + s to its own:
//
//   slots     0   1   2   3   4   5   6   7
//   s = 4     0+4 1+5 2+6 3+7                  threads 0 to 3 add, 4 to 7 wait at the barrier
//   s = 2     0+2 1+3                          threads 0 and 1
//   s = 1     0+1                              thread 0: slot 0 has the block's sum
template <class T>
__global__ void add_in_slots(const T* x, const T* y, std::int64_t n, T* partials) {
  extern __shared__ double memory[];
  T* const slots = reinterpret_cast<T*>(memory);
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  slots[threadIdx.x] = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    slots[threadIdx.x] += x[i] * y[i];
  __syncthreads();
  int s = blockDim.x / 2;
  while (s != 0) {
    if (threadIdx.x < s) slots[threadIdx.x] += slots[threadIdx.x + s];
    __syncthreads();  // outside the if: all threads of the block must reach it
    s /= 2;
  }
  if (threadIdx.x == 0) partials[blockIdx.x] = slots[0];
}

}  // namespace

template <class T>
void slots_in_shared_memory(Bench<T>& bench) {
  const std::int64_t blocks = whole_blocks(bench.n(), bench.block());
  launch(add_in_slots<T>, blocks, bench.block(), bench.block() * sizeof(T), bench.x(), bench.y(), bench.n(),
         bench.partials(blocks, 14));
}

template void slots_in_shared_memory(Bench<float>&);
template void slots_in_shared_memory(Bench<double>&);

}  // namespace foldline::ladder::dot
