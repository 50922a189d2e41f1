#include "counts.hpp"

#include <simt/simt.hpp>

namespace {

template <class T>
T* device(std::size_t count) {
  T* pointer = nullptr;
  cudaMalloc(&pointer, count * sizeof(T));
  cudaMemset(pointer, 0, count * sizeof(T));
  return pointer;
}

__global__ void strided(const float* x, int stride, float* y) { y[threadIdx.x] = x[threadIdx.x * stride]; }

__global__ void vectors(const int4* x, int4* y) {
  const int4 v = x[threadIdx.x];
  y[threadIdx.x] = make_int4(v.w, v.z, v.y, v.x);
}

struct alignas(16) Quad {
  double a, b;
};

__global__ void structures(const Quad* x, Quad* y) { y[threadIdx.x] = x[threadIdx.x]; }

__global__ void parts(const int4* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x].x + x[threadIdx.x].y + x[threadIdx.x].z + x[threadIdx.x].w;
}

__global__ void shared_strided(int stride, int* y) {
  __shared__ int part[32 * 33];
  for (int i = threadIdx.x; i < 32 * 33; i += 32) part[i] = i;
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x * stride];
}

__constant__ int constants[64];

__global__ void constant(int spread, int* y) { y[threadIdx.x] = constants[threadIdx.x % spread]; }

/// Warps in which some lanes add and others do not.
__global__ void tree(int* x) {
  const int t = threadIdx.x;
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (t % (2 * s) == 0) x[t] += x[t + s];
    __syncthreads();
  }
}

/// Lane i goes round i + 1 times.
__global__ void loop(int* x) {
  for (int i = 0; i <= threadIdx.x; ++i) atomicAdd(x + threadIdx.x, 1);
}

__noinline__ __device__ int early(const int* x, int i) {
  if (i % 2 == 0) return x[i] + x[i + 1];
  return x[i] - x[i - 1];
}
__global__ void function(const int* x, int* y) {
  const int sum = early(x, threadIdx.x);
  y[threadIdx.x] = sum;
}

/// What remains by a power of two that is doubled in each step.
__global__ void remainders(int* x) {
  int sum = 0;
  for (int s = 1; s < 32; s *= 2) sum += threadIdx.x % (2 * s);
  x[threadIdx.x] = sum;
}
__global__ void masks(int* x) {
  int sum = 0;
  for (int s = 1; s < 32; s *= 2) sum += threadIdx.x & (2 * s - 1);
  x[threadIdx.x] = sum;
}

__global__ void read_many(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1;
}

}  // namespace

void take_remainders() { simt::launch(remainders, 1, 32, 0, nullptr, device<int>(32)); }
void take_masks() { simt::launch(masks, 1, 32, 0, nullptr, device<int>(32)); }
void read_in_many_blocks(int blocks) {
  simt::launch(read_many, blocks, 64, 0, nullptr, device<int>(64 * blocks), device<int>(64 * blocks));
}
void read_with_stride(int stride) {
  simt::launch(strided, 1, 32, 0, nullptr, device<float>(32 * 33), stride, device<float>(32));
}
void read_vectors() { simt::launch(vectors, 1, 32, 0, nullptr, device<int4>(32), device<int4>(32)); }
void copy_structures() { simt::launch(structures, 1, 32, 0, nullptr, device<Quad>(32), device<Quad>(32)); }
void add_parts_of_vectors() { simt::launch(parts, 1, 32, 0, nullptr, device<int4>(32), device<int>(32)); }
void read_shared_with_stride(int stride) {
  simt::launch(shared_strided, 1, 32, 0, nullptr, stride, device<int>(32));
}
void read_constants(int spread) { simt::launch(constant, 1, 32, 0, nullptr, spread, device<int>(32)); }
void diverge_in_a_tree(int block) { simt::launch(tree, 1, block, 0, nullptr, device<int>(2 * block)); }
void diverge_in_a_loop() { simt::launch(loop, 1, 32, 0, nullptr, device<int>(64)); }
void leave_a_function_early() { simt::launch(function, 1, 32, 0, nullptr, device<int>(64), device<int>(32)); }
