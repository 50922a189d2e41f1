// A template of the type and the block's size.
template <class T, int BLOCK>
__global__ void sum(const T* x, T* sums, int n) {
  __shared__ T buffer[BLOCK];
  int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  buffer[t] = i < n ? x[i] : T(0);
  __syncthreads();
#pragma unroll
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    if (t < s) buffer[t] += buffer[t + s];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = buffer[0];
}
