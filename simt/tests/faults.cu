#include "faults.cuh"

namespace {

// ---- within a block

__global__ void reverse_without_barrier(int* x) {
  __shared__ int part[block];
  part[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = part[block - 1 - threadIdx.x];
}
constexpr int line_reverse = HERE - 1;

__global__ void reverse(int* x) {
  __shared__ int part[block];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[block - 1 - threadIdx.x];
}

__global__ void overwrite_too_early(int* x) {
  __shared__ int part[block];
  for (int round = 0; round < 2; ++round) {
    part[threadIdx.x] = round;
    __syncthreads();
    x[threadIdx.x] += part[block - 1 - threadIdx.x];
  }
}
constexpr int line_overwrite = HERE - 2;

__global__ void tree_without_barrier(int* x) {
  extern __shared__ int tree[];
  tree[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int s = block / 2; s > 0; s /= 2)
    if (threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s];
  if (threadIdx.x == 0) x[0] = tree[0];
}
constexpr int line_tree = HERE - 2;

__global__ void warp_sum_without_syncwarp(int* x) {
  __shared__ int part[64];
  part[threadIdx.x] = x[threadIdx.x];
  __syncwarp();
  for (int s = 16; s > 0; s /= 2)
    if (threadIdx.x + s < 32) part[threadIdx.x] += part[threadIdx.x + s];
  x[threadIdx.x] = part[threadIdx.x];
}
constexpr int line_warp = HERE - 2;

__global__ void warp_sum_of_volatiles(int* x) {
  __shared__ int part[64];
  volatile int* p = part;
  p[threadIdx.x] = x[threadIdx.x];
  p[threadIdx.x + 32] = 0;
  p[threadIdx.x] += p[threadIdx.x + 16];
  p[threadIdx.x] += p[threadIdx.x + 8];
  x[threadIdx.x] = p[threadIdx.x];
}
constexpr int line_volatile = HERE - 2;

__global__ void barrier_in_branch(int* x) {
  if (threadIdx.x < 64) {
    x[threadIdx.x] = 1;
    __syncthreads();
  }
}
constexpr int line_branch = HERE - 2;

__global__ void two_barriers(int* x) {
  if (threadIdx.x < 64) {
    x[threadIdx.x] = 1;
    __syncthreads();
  } else {
    __syncthreads();
  }
}
constexpr int line_two = HERE - 4;

__global__ void return_before_barrier(int* x, int n) {
  if (threadIdx.x >= n) return;
  x[threadIdx.x] = 1;
  __syncthreads();
}
constexpr int line_return = HERE - 1;

__global__ void histogram_without_barrier(int* x) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 32], 1);
  x[threadIdx.x] = bins[(threadIdx.x + 5) % 32];
}
constexpr int line_histogram = HERE - 1;

__global__ void histogram(int* x) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 32], 1);
  __syncthreads();
  x[threadIdx.x] = bins[threadIdx.x % 32];
}

__global__ void same_value(int* x) {
  __shared__ bool any;
  if (threadIdx.x == 0) any = false;
  __syncthreads();
  if (threadIdx.x % 3 == 0) any = true;
  __syncthreads();
  x[threadIdx.x] = any;
}

__global__ void store_before_barrier(int* x) {
  __shared__ int one;
  one = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = one;
}
constexpr int line_store = HERE - 3;

__global__ void store_before_shuffle(int* x) {
  x[0] = threadIdx.x;
  x[1 + threadIdx.x] = __shfl_down_sync(~0u, threadIdx.x, 1);
}
constexpr int line_shuffle = HERE - 2;

__global__ void same_value_long_before(int* x) {
  __shared__ int one;
  one = 1;
  __syncthreads();
  if (threadIdx.x == 5) one = 2;
  __syncthreads();
  int sum = one;
  for (int i = 0; i < 40000; ++i) sum += x[i % 8];
  x[8 + threadIdx.x] = sum;
}

__global__ void swap_loop(unsigned long long* sum) {
  unsigned long long seen = *sum, expected;
  do {
    expected = seen;
    seen = atomicCAS(sum, expected, expected + threadIdx.x);
  } while (seen != expected);
}

// ---- memory

__global__ void one_past_the_end(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = i;
}
constexpr int line_past = HERE - 1;

__global__ void before_the_begin(int* x) { x[static_cast<int>(threadIdx.x) - 1] = 3; }
constexpr int line_before = HERE;

__global__ void past_shared(int* x) {
  __shared__ int part[block];
  part[threadIdx.x + 1] = x[threadIdx.x];
}
constexpr int line_past_shared = HERE - 1;

__global__ void past_dynamic(int* x) {
  extern __shared__ int tree[];
  tree[2 * threadIdx.x] = x[threadIdx.x];
}
constexpr int line_past_dynamic = HERE - 1;

__global__ void read_unwritten_shared(int* x) {
  __shared__ int part[block];
  if (threadIdx.x < 100) part[threadIdx.x] = 1;
  __syncthreads();
  x[threadIdx.x] = part[threadIdx.x];
}
constexpr int line_unwritten_shared = HERE - 1;

__global__ void add_one(int* x) { x[threadIdx.x] += 1; }
constexpr int line_add_one = HERE;

__global__ void misaligned(const char* x, int4* y) { *y = *reinterpret_cast<const int4*>(x + 4); }
constexpr int line_misaligned = HERE;

// ---- warps

__global__ void lane_outside_mask(int* x) {
  if (threadIdx.x < 16) x[threadIdx.x] = __shfl_down_sync(0xff, threadIdx.x, 1);
}
constexpr int line_mask = HERE - 1;

__global__ void missing_lanes(int* x) {
  if (threadIdx.x < 16) x[threadIdx.x] = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
}
constexpr int line_missing = HERE - 1;

__global__ void half_warps(int* x) {
  __shared__ int part[32];
  const unsigned mask = threadIdx.x < 16 ? 0xffff : 0xffff0000;
  part[threadIdx.x] = x[threadIdx.x];
  __syncwarp(mask);
  const int other = part[threadIdx.x ^ 1];
  __syncwarp(mask);
  part[threadIdx.x] = other;
  x[threadIdx.x] = __shfl_xor_sync(mask, part[threadIdx.x], 1);
}

// ---- asynchronous copies

template <bool Waits>
__global__ void copy(const int* x, int* y) {
  __shared__ int part[block];
  __pipeline_memcpy_async(part + threadIdx.x, x + threadIdx.x, 4);
  __pipeline_commit();
  if (Waits) __pipeline_wait_prior(0);
  __syncthreads();
  y[threadIdx.x] = part[block - 1 - threadIdx.x];
}
constexpr int line_copy = HERE - 1;

}  // namespace

const std::vector<FaultyKernel>& faults_in_a_block() {
  constexpr std::size_t of_block = block * sizeof(int);
  static const std::vector<FaultyKernel> all = {
      {"reverse_without_barrier", "race", line_reverse, "part",
       [] { on(1, 0, reverse_without_barrier, device<int>(block)); }},
      {"reverse", "", 0, "", [] { on(1, 0, reverse, device<int>(block)); }},
      {"overwrite_too_early", "race", line_overwrite, "part",
       [] { on(1, 0, overwrite_too_early, device<int>(block)); }},
      {"tree_without_barrier", "race", line_tree, "tree",
       [] { on(1, of_block, tree_without_barrier, device<int>(block)); }},
      {"warp_sum_without_syncwarp", "race", line_warp, "part",
       [] { simt::launch(warp_sum_without_syncwarp, 1, 32, 0, nullptr, device<int>(32)); }},
      {"warp_sum_of_volatiles", "race", line_volatile, "part",
       [] { simt::launch(warp_sum_of_volatiles, 1, 32, 0, nullptr, device<int>(32)); }},
      {"barrier_in_branch", "barrier", line_branch, "",
       [] { on(1, 0, barrier_in_branch, device<int>(block)); }},
      {"two_barriers", "barrier", line_two, "", [] { on(1, 0, two_barriers, device<int>(block)); }},
      {"return_before_barrier", "barrier", line_return, "",
       [] { on(1, 0, return_before_barrier, device<int>(block), 100); }},
      {"histogram_without_barrier", "race", line_histogram, "bins",
       [] { on(1, 0, histogram_without_barrier, device<int>(block)); }},
      {"histogram", "", 0, "", [] { on(1, 0, histogram, device<int>(block)); }},
      {"same_value", "", 0, "", [] { on(1, 0, same_value, device<int>(block)); }},
      {"store_before_barrier", "race", line_store, "one",
       [] { on(1, 0, store_before_barrier, device<int>(block)); }},
      {"store_before_shuffle", "race", line_shuffle, "",
       [] { simt::launch(store_before_shuffle, 1, 32, 0, nullptr, device<int>(33)); }},
      {"same_value_long_before", "", 0, "",
       [] { simt::launch(same_value_long_before, 1, 64, 0, nullptr, device<int>(72)); }},
      {"swap_loop", "", 0, "", [] { on(3, 0, swap_loop, device<unsigned long long>(1)); }},
      {"one_past_the_end", "out of bounds", line_past, "x",
       [] { on(8, 0, one_past_the_end, device<int>(1000), 1000); }},
      {"before_the_begin", "out of bounds", line_before, "",
       [] { on(1, 0, before_the_begin, device<int>(block)); }},
      {"past_shared", "out of bounds", line_past_shared, "part",
       [] { on(1, 0, past_shared, device<int>(block)); }},
      {"past_dynamic", "out of bounds", line_past_dynamic, "tree",
       [] { on(1, of_block, past_dynamic, device<int>(block)); }},
      {"read_unwritten_shared", "uninitialised", line_unwritten_shared, "part",
       [] { on(1, 0, read_unwritten_shared, device<int>(block)); }},
      {"read_unwritten_global", "uninitialised", line_add_one, "",
       [] { on(1, 0, add_one, device<int>(block, false)); }},
      {"host_pointer", "host pointer", line_add_one, "",
       [] {
         static int host[block];
         on(1, 0, add_one, host);
       }},
      {"null_pointer", "host pointer", line_add_one, "",
       [] { on(1, 0, add_one, static_cast<int*>(nullptr)); }},
      {"freed", "out of bounds", line_add_one, "",
       [] {
         int* const x = device<int>(block);
         cudaFree(x);
         on(1, 0, add_one, x);
       }},
      {"misaligned", "out of bounds", line_misaligned, "",
       [] { simt::launch(misaligned, 1, 1, 0, nullptr, device<char>(64), device<int4>(1)); }},
      {"lane_outside_mask", "mask", line_mask, "", [] { on(1, 0, lane_outside_mask, device<int>(block)); }},
      {"missing_lanes", "mask", line_missing, "", [] { on(1, 0, missing_lanes, device<int>(block)); }},
      {"half_warps", "", 0, "", [] { simt::launch(half_warps, 1, 32, 0, nullptr, device<int>(32)); }},
      {"copy", "", 0, "", [] { on(1, 0, copy<true>, device<int>(block), device<int>(block)); }},
      {"copy without wait", "race", line_copy, "part",
       [] { on(1, 0, copy<false>, device<int>(block), device<int>(block)); }},
      {"too many threads", "launch", 0, "",
       [] { simt::launch(add_one, 1, 1025, 0, nullptr, device<int>(1025)); }},
      {"too much shared memory", "launch", 0, "", [] { on(1, 50000, add_one, device<int>(block)); }},
  };
  return all;
}
