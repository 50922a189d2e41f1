// A transpose through padded tiles; four rows a thread.
// check: --block 32x8 --grid 2x2 --set rows=40 --set columns=50 --set in=2000 --set out=2000
__global__ void transpose(const double* in, double* out, int rows, int columns) {
  __shared__ double tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < rows && column < columns)
      tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * columns + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < columns && column < rows)
      out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}
