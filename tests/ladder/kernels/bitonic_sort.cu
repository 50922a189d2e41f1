// Sorts each block.
// check: --set data=1024 --grid 4
__global__ void sort(int* data) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = data[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 2; k <= 256; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t && (part[t] > part[other]) == ((t & k) == 0)) {
        int value = part[t];
        part[t] = part[other];
        part[other] = value;
      }
      __syncthreads();
    }
  data[blockIdx.x * 256 + t] = part[t];
}
