// An inclusive prefix sum: inside of warps by shuffles, inside of a block by its warps' totals, and from block to block
// by a counter on which each waits for the one before it: scan_by_shuffles [BLOCKS]
#include <cstdio>
#include <cstdlib>

#define BLOCK 1024

__device__ int finished = 0;

__device__ int scan_warp(int value) {
  int lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    int before = __shfl_up(value, d);
    if (lane >= d) value += before;
  }
  return value;
}

__global__ void scan(const int* in, volatile int* out) {
  __shared__ int totals[32];
  __shared__ int carry;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  int value = scan_warp(in[i]);
  if (lane == 31) totals[warp] = value;
  __syncthreads();
  if (warp == 0) totals[lane] = scan_warp(totals[lane]);
  __syncthreads();
  if (warp > 0) value += totals[warp - 1];

  if (threadIdx.x == 0) {
    while (atomicAdd(&finished, 0) < blockIdx.x) {
    }
    __threadfence();
    carry = blockIdx.x > 0 ? out[blockIdx.x * blockDim.x - 1] : 0;
  }
  __syncthreads();
  out[i] = value + carry;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&finished, 1);
}

int main(int argc, char** argv) {
  int blocks = argc > 1 ? atoi(argv[1]) : 8;
  int n = blocks * BLOCK;
  int *in = new int[n], *out = new int[n];
  for (int i = 0; i < n; i++) in[i] = rand() % 100;
  int *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(int));
  cudaMalloc(&d_out, n * sizeof(int));
  cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
  scan<<<blocks, BLOCK>>>(d_in, d_out);
  cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
  int correct = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    sum += in[i];
    correct += out[i] == sum;
  }
  printf("%d of %d values correct\n", correct, n);
  cudaFree(d_in);
  cudaFree(d_out);
  delete[] in;
  delete[] out;
  return correct == n ? 0 : 1;
}
