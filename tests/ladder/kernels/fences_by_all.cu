// Block 0 makes data, with a fence of each thread behind its own, and one thread raises a flag for all.
__global__ void hand_over(int* data, int* flag, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 3 * threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __syncthreads();
    __threadfence();
    if (i < n) out[i] = data[threadIdx.x];
  }
}
