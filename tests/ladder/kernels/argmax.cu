// The place of the largest, kept as one 64-bit word by atomics.
__global__ void argmax(const unsigned int* x, unsigned long long* best, int n) {
  __shared__ unsigned long long local;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&local, (unsigned long long)x[i] << 32 | i);
  __syncthreads();
  if (threadIdx.x == 0) atomicMax(best, local);
}
