// Each block waits for the one before it, and hands its sum on.
__global__ void running_sum(const int* x, volatile int* sums, volatile int* ready, int n) {
  __shared__ int block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&block_sum, x[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x > 0) {
      while (ready[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      before = sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = before + block_sum;
    __threadfence();
    ready[blockIdx.x] = 1;
  }
}
