// Loads the next part while it uses this one.
// check: --grid 1
__global__ void sum_parts(const float* x, float* out, int n) {
  __shared__ float buffer[2][256];
  int t = threadIdx.x, parts = n / 256;
  float sum = 0;
  buffer[0][t] = x[t];
  for (int p = 0; p < parts; p++) {
    __syncthreads();
    if (p + 1 < parts) buffer[(p + 1) % 2][t] = x[(p + 1) * 256 + t];
    sum += buffer[p % 2][255 - t];
  }
  out[t] = sum;
}
