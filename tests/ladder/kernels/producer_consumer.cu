// Block 0 makes data and raises a flag, the others wait for it.
__global__ void hand_over(int* data, volatile int* flag, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 3 * threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    if (i < n) out[i] = data[threadIdx.x];
  }
}
