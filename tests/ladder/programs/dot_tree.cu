// The dot product of two vectors of ones: each block sums its products in a tree, the host adds the blocks' sums.
// Events time the kernel.
#include <cstdio>
#include <cstdlib>
#include <helper_cuda.h>

#define BLOCK 64

__global__ void dot(const float* a, const float* b, float* partial, int n) {
  __shared__ float buf[BLOCK];
  int tid = threadIdx.x;
  buf[tid] = 0.0f;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) buf[tid] += a[i] * b[i];
  __syncthreads();

  int i = blockDim.x / 2;
  while (i != 0) {
    if (tid < i) buf[tid] += buf[tid + i];
    __syncthreads();
    i /= 2;
  }
  if (tid == 0) partial[blockIdx.x] = buf[0];
}

int main() {
  const int n = 1024, grid = n / BLOCK;
  const size_t bytes = n * sizeof(float);
  float *a = (float*)malloc(bytes), *b = (float*)malloc(bytes), partial[grid];
  for (int i = 0; i < n; i++) a[i] = b[i] = 1.0f;

  float *d_a, *d_b, *d_partial;
  checkCudaErrors(cudaMalloc(&d_a, bytes));
  checkCudaErrors(cudaMalloc(&d_b, bytes));
  checkCudaErrors(cudaMalloc(&d_partial, sizeof(partial)));
  checkCudaErrors(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
  checkCudaErrors(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  checkCudaErrors(cudaEventCreate(&start));
  checkCudaErrors(cudaEventCreate(&stop));
  checkCudaErrors(cudaEventRecord(start));
  dot<<<grid, BLOCK>>>(d_a, d_b, d_partial, n);
  getLastCudaError("dot");
  checkCudaErrors(cudaEventRecord(stop));
  checkCudaErrors(cudaEventSynchronize(stop));
  float milliseconds = -1.0f;
  checkCudaErrors(cudaEventElapsedTime(&milliseconds, start, stop));

  checkCudaErrors(cudaMemcpy(partial, d_partial, sizeof(partial), cudaMemcpyDeviceToHost));
  float result = 0.0f;
  for (int i = 0; i < grid; i++) result += partial[i];
  printf("Result = %.2f\n", result);
  printf("%s\n", milliseconds >= 0 ? "timed" : "not timed");

  checkCudaErrors(cudaEventDestroy(start));
  checkCudaErrors(cudaEventDestroy(stop));
  checkCudaErrors(cudaFree(d_a));
  checkCudaErrors(cudaFree(d_b));
  checkCudaErrors(cudaFree(d_partial));
  free(a);
  free(b);
}
