// The dot product with the factors in shared memory and in global memory; thread 0 adds the products of its block.
#include <iostream>

const int N = 512, BLOCK = 128;

__global__ void in_shared(const float* a, const float* b, float* sums) {
  __shared__ float x[BLOCK], y[BLOCK];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[threadIdx.x] = a[i];
  y[threadIdx.x] = b[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int j = 0; j < blockDim.x; j++) sum += x[j] * y[j];
    sums[blockIdx.x] = sum;
  }
}

__global__ void in_global(const float* a, const float* b, float* sums) {
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int j = 0; j < blockDim.x; j++)
      sum += a[blockIdx.x * blockDim.x + j] * b[blockIdx.x * blockDim.x + j];
    sums[blockIdx.x] = sum;
  }
}

float total(const float* d_sums) {
  float sums[N / BLOCK], sum = 0;
  cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
  for (float part : sums) sum += part;
  return sum;
}

int main() {
  float a[N], b[N], expected = 0;
  for (int i = 0; i < N; i++) {
    a[i] = i % 7;
    b[i] = i % 5;
    expected += a[i] * b[i];
  }
  float *d_a, *d_b, *d_sums;
  cudaMalloc(&d_a, sizeof a);
  cudaMalloc(&d_b, sizeof b);
  cudaMalloc(&d_sums, N / BLOCK * sizeof(float));
  cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice);
  in_shared<<<N / BLOCK, BLOCK>>>(d_a, d_b, d_sums);
  std::cout << "shared: " << (total(d_sums) == expected ? "right" : "wrong") << std::endl;
  in_global<<<N / BLOCK, BLOCK>>>(d_a, d_b, d_sums);
  std::cout << "global: " << (total(d_sums) == expected ? "right" : "wrong") << std::endl;
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_sums);
}
