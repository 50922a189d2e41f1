#include "faults.cuh"

namespace {

__global__ void blocks_share_a_sum(int* x) {
  if (threadIdx.x == 0) x[0] += 1;
}
constexpr int line_blocks = HERE - 1;

template <int Removed>
__global__ void last_block(int* partials, unsigned* tickets, int* total) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = 1;
    if (Removed != 1) __threadfence();
    last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (Removed != 2) __threadfence();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (int i = 0; i < gridDim.x; ++i) sum += __ldcg(partials + i);
  *total = sum;
}
constexpr int line_last = HERE - 2;

template <int Removed>
__global__ void chain(unsigned* finished, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicAdd(finished, 0u) != blockIdx.x) {
  }
  if (Removed != 1) __threadfence();
  const int before = __ldcg(sum);
  *sum = before + 1;
  if (Removed != 2) __threadfence();
  atomicAdd(finished, 1u);
}
constexpr int line_chain = HERE - 4;

__global__ void lock(int* taken, int* sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(taken, 0, 1) != 0) {
  }
  __threadfence();
  *sum += 1;
  __threadfence();
  atomicExch(taken, 0);
}

__global__ void flag_in_block(int* x) {
  __shared__ volatile int ready;
  __shared__ int value;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 64) {
    value = 5;
    __threadfence_block();
    ready = 1;
  } else if (threadIdx.x == 0) {
    while (ready == 0) {
    }
    __threadfence_block();
    x[0] = value;
  }
}

__global__ void wait_for_a_later_block(volatile int* flags) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x + 1 < gridDim.x)
    while (flags[blockIdx.x + 1] == 0) {
    }
  flags[blockIdx.x] = 1;
}

__global__ void wait_forever(volatile int* flag) {
  while (*flag == 0) {
  }
}
constexpr int line_forever = HERE - 2;

__global__ void loop_forever(int* x) {
  unsigned i = 0;
  while (i + 1 != 0) i = (i * 5 + 1) % 1000;
  x[0] = i;
}

}  // namespace

const std::vector<FaultyKernel>& faults_between_blocks() {
  static const std::vector<FaultyKernel> all = {
      {"blocks_share_a_sum", "race", line_blocks, "", [] { on(2, 0, blocks_share_a_sum, device<int>(1)); }},
      {"last_block", "", 0, "",
       [] { on(5, 0, last_block<0>, device<int>(5), device<unsigned>(1), device<int>(1)); }},
      {"last_block, first fence", "race", line_last, "partials",
       [] { on(5, 0, last_block<1>, device<int>(5), device<unsigned>(1), device<int>(1)); }},
      {"last_block, second fence", "race", line_last, "",
       [] { on(5, 0, last_block<2>, device<int>(5), device<unsigned>(1), device<int>(1)); }},
      {"chain", "", 0, "", [] { on(6, 0, chain<0>, device<unsigned>(1), device<int>(1)); }},
      {"chain, first fence", "race", line_chain, "",
       [] { on(6, 0, chain<1>, device<unsigned>(1), device<int>(1)); }},
      {"chain, second fence", "race", line_chain, "",
       [] { on(6, 0, chain<2>, device<unsigned>(1), device<int>(1)); }},
      {"lock", "", 0, "", [] { on(20, 0, lock, device<int>(1), device<int>(1)); }},
      {"flag_in_block", "", 0, "", [] { on(1, 0, flag_in_block, device<int>(1)); }},
      {"wait_for_a_later_block", "", 0, "", [] { on(20, 0, wait_for_a_later_block, device<int>(20)); }},
      {"wait_forever", "deadlock", line_forever, "", [] { on(20, 0, wait_forever, device<int>(20)); }},
      {"loop_forever", "deadlock", 0, "",
       [] {
         simt::options().watchdog_seconds = 0.1;
         simt::launch(loop_forever, 1, 1, 0, nullptr, device<int>(1));
       }},
  };
  return all;
}
