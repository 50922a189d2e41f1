// Groups of 8 lanes, each with its own mask.
__global__ void sum_of_eight(const int* x, int* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned mask = 0xffu << (lane / 8 * 8);
  if (i / 8 * 8 + 7 >= n) return;
  int value = x[i];
  for (int d = 4; d > 0; d /= 2) value += __shfl_xor_sync(mask, value, d, 8);
  if (lane % 8 == 0) sums[i / 8] = value;
}
