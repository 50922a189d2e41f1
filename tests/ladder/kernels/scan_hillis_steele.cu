// Prefix sums of each block, from buffer to buffer.
__global__ void scan(const int* in, int* out, int n) {
  __shared__ int buffer[2][256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, from = 0;
  buffer[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[from][t];
}
