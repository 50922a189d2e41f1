// A number and an array in constant memory.
#include <stdio.h>

#define N 10

__constant__ float added;
__constant__ int table[N];

__global__ void add(const float* a, const float* b, float* c) {
  int i = threadIdx.x;
  if (i < N) c[i] = a[i] + b[i] + added;
}

__global__ void look_up(int* out) { out[threadIdx.x] = table[threadIdx.x]; }

int main(void) {
  float a[N], b[N], c[N], value = 0.5f;
  int squares[N], read[N];
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = 2 * i;
    squares[i] = i * i;
  }
  float *d_a, *d_b, *d_c;
  int* d_read;
  cudaMalloc((void**)&d_a, sizeof(a));
  cudaMalloc((void**)&d_b, sizeof(b));
  cudaMalloc((void**)&d_c, sizeof(c));
  cudaMalloc((void**)&d_read, sizeof(read));
  cudaMemcpy(d_a, a, sizeof(a), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, sizeof(b), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(added, &value, sizeof(value));
  cudaMemcpyToSymbol(table, squares, sizeof(squares), 0, cudaMemcpyHostToDevice);
  add<<<1, 32>>>(d_a, d_b, d_c);
  look_up<<<1, N>>>(d_read);
  cudaMemcpy(c, d_c, sizeof(c), cudaMemcpyDeviceToHost);
  cudaMemcpy(read, d_read, sizeof(read), cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) printf("%.1f ", c[i]);
  printf("\n");
  for (int i = 0; i < N; i++) printf("%d ", read[i]);
  printf("\n");
  return 0;
}
