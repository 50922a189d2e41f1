// A grid-stride loop with more elements than threads.
// check: --grid 2
__global__ void square(const double* x, double* y, long long n) {
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
    y[i] = x[i] * x[i];
}
