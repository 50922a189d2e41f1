// The last steps of a tree inside of one warp, with __syncwarp between reads and writes.
__global__ void sum(const int* x, int* sums, int n) {
  __shared__ int buffer[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  buffer[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int s = 128; s >= 32; s /= 2) {
    if (t < s) buffer[t] += buffer[t + s];
    __syncthreads();
  }
  if (t < 32) {
    int value = buffer[t];
    for (int s = 16; s > 0; s /= 2) {
      int other = t < s ? buffer[t + s] : 0;
      __syncwarp();
      if (t < s) buffer[t] = value += other;
      __syncwarp();
    }
    if (t == 0) sums[blockIdx.x] = value;
  }
}
