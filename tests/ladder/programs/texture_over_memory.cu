// A texture reference over linear memory: copies an array through it.
#include <stdio.h>
#include <stdlib.h>

const int N = 5000;

texture<float, 1> source;

__global__ void copy(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex1Dfetch(source, i);
}

int main() {
  float* values = (float*)malloc(N * sizeof(float));
  float* result = (float*)malloc(N * sizeof(float));
  for (int i = 0; i < N; i++) values[i] = i;

  float *d_values, *d_result;
  cudaMalloc((void**)&d_values, N * sizeof(float));
  cudaMalloc((void**)&d_result, N * sizeof(float));
  cudaMemcpy(d_values, values, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaBindTexture(0, source, d_values, N * sizeof(float));
  copy<<<(N + 255) / 256, 256>>>(d_result, N);
  cudaMemcpy(result, d_result, N * sizeof(float), cudaMemcpyDeviceToHost);
  cudaUnbindTexture(source);

  int equal = 1;
  for (int i = 0; i < N; i++)
    if (values[i] != result[i]) equal = 0;
  printf(equal ? "arrays equal\n" : "arrays differ\n");
  cudaFree(d_values);
  cudaFree(d_result);
  free(values);
  free(result);
}
