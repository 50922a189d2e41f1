// A texture reference over a CUDA array: a thread reads each element. Texture references are gone from today's CUDA.
#include <stdio.h>
#include <stdlib.h>

#define N 10

texture<float, 1, cudaReadModeElementType> reference;

__global__ void read_all(float* out) {
  int i = threadIdx.x;
  out[i] = tex1D(reference, (float)i);
}

int main() {
  float values[N], result[N];
  for (int i = 0; i < N; i++) values[i] = 2 * i;

  cudaArray* array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, N, 1);
  cudaMemcpyToArray(array, 0, 0, values, N * sizeof(float), cudaMemcpyHostToDevice);
  cudaBindTextureToArray(reference, array);

  float* d_result;
  cudaMalloc((void**)&d_result, N * sizeof(float));
  read_all<<<1, N>>>(d_result);
  cudaMemcpy(result, d_result, N * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) printf("%g ", result[i]);
  printf("\n");

  cudaUnbindTexture(reference);
  cudaFreeArray(array);
  cudaFree(d_result);
  return 0;
}
