// Exclusive prefix sums of each block by an up-sweep and a down-sweep.
__global__ void scan(int* data, int n) {
  extern __shared__ int tree[];
  int t = threadIdx.x, size = blockDim.x, i = blockIdx.x * size + t;
  tree[t] = i < n ? data[i] : 0;
  for (int d = 1; d < size; d *= 2) {
    __syncthreads();
    int k = (t + 1) * 2 * d - 1;
    if (k < size) tree[k] += tree[k - d];
  }
  __syncthreads();
  if (t == 0) tree[size - 1] = 0;
  for (int d = size / 2; d > 0; d /= 2) {
    __syncthreads();
    int k = (t + 1) * 2 * d - 1;
    if (k < size) {
      int left = tree[k - d];
      tree[k - d] = tree[k];
      tree[k] += left;
    }
  }
  __syncthreads();
  if (i < n) data[i] = tree[t];
}
