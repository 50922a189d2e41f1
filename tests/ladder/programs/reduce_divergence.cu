// The sum of 2^24 bytes of rand(), by three kernels that diverge less and less, against the host's:
// reduce_divergence [LOG2_OF_N [KERNEL]]
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Halves the range until one element is left, and adds in place.
int recursive_sum(int* data, int size) {
  if (size == 1) return data[0];
  int stride = size / 2;
  for (int i = 0; i < stride; i++) data[i] += data[i + stride];
  return recursive_sum(data, stride);
}

__global__ void neighbored(int* in, int* out, unsigned int n) {
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x;
  if (i >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) data[tid] += data[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void neighbored_less(int* in, int* out, unsigned int n) {
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x;
  if (i >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    int index = 2 * stride * tid;
    if (index < blockDim.x) data[index] += data[index + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

__global__ void interleaved(int* in, int* out, unsigned int n) {
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x;
  if (i >= n) return;
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) data[tid] += data[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = data[0];
}

int main(int argc, char** argv) {
  int size = 1 << (argc > 1 ? atoi(argv[1]) : 24);
  const char* only = argc > 2 ? argv[2] : "";
  dim3 block(512, 1);
  dim3 grid((size + block.x - 1) / block.x, 1);
  size_t bytes = size * sizeof(int);
  int *data = (int*)malloc(bytes), *copy = (int*)malloc(bytes), *partial = (int*)malloc(grid.x * sizeof(int));
  for (int i = 0; i < size; i++) data[i] = (int)(rand() & 0xFF);
  memcpy(copy, data, bytes);
  int cpu_sum = recursive_sum(copy, size);
  printf("cpu: %d\n", cpu_sum);

  int *d_in, *d_out;
  cudaMalloc((void**)&d_in, bytes);
  cudaMalloc((void**)&d_out, grid.x * sizeof(int));
  struct {
    const char* name;
    void (*kernel)(int*, int*, unsigned int);
  } kernels[] = {{"neighbored", neighbored}, {"neighbored_less", neighbored_less}, {"interleaved", interleaved}};
  int failed = 0;
  for (auto& version : kernels) {
    if (*only && strcmp(only, version.name)) continue;
    cudaMemcpy(d_in, data, bytes, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    version.kernel<<<grid, block>>>(d_in, d_out, size);
    cudaDeviceSynchronize();
    cudaMemcpy(partial, d_out, grid.x * sizeof(int), cudaMemcpyDeviceToHost);
    int gpu_sum = 0;
    for (int i = 0; i < grid.x; i++) gpu_sum += partial[i];
    printf("%s: %d\n", version.name, gpu_sum);
    failed += gpu_sum != cpu_sum;
  }
  free(data);
  free(copy);
  free(partial);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaDeviceReset();
  return failed;
}
