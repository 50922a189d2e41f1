// A sparse matrix in rows times a vector.
// check: --set rows=999
__global__ void multiply(const int* begins, const int* columns, const float* values, const float* x, float* y,
                         int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = begins[row]; k < begins[row + 1]; k++) sum += values[k] * x[columns[k]];
  y[row] = sum;
}
