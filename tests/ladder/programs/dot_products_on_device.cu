// The dot product of two vectors of ones: the device multiplies, the host adds.
#include <cstdio>
#include <cstdlib>

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n) {
    c[i] = a[i] * b[i];
    i += gridDim.x * blockDim.x;
  }
}

int main() {
  const int n = 1024, block = 64;
  const size_t bytes = n * sizeof(float);
  float* a = (float*)malloc(bytes);
  float* b = (float*)malloc(bytes);
  float* c = (float*)malloc(bytes);
  for (int i = 0; i < n; i++) {
    a[i] = 1.0f;
    b[i] = 1.0f;
  }

  float *d_a, *d_b, *d_c;
  cudaMalloc((void**)&d_a, bytes);
  cudaMalloc((void**)&d_b, bytes);
  cudaMalloc((void**)&d_c, bytes);
  cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

  multiply<<<n / block, block>>>(d_a, d_b, d_c, n);

  cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost);
  float result = 0.0f;
  for (int i = 0; i < n; i++) result += c[i];
  printf("Result = %.2f\n", result);

  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  free(a);
  free(b);
  free(c);
  return 0;
}
