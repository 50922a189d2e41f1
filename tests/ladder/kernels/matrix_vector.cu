// A matrix times a vector, one row a warp.
// check: --grid 5 --set rows=37 --set columns=27 --set a=999
__global__ void multiply(const double* a, const double* x, double* y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int j = lane; j < columns; j += 32) sum += a[row * columns + j] * x[j];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) y[row] = sum;
}
