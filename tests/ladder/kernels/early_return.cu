// Threads beyond the end return; there is no barrier after that.
__global__ void clamp(int* x, int n, int most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] <= most) return;
  x[i] = most;
}
