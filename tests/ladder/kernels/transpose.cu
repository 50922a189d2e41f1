// A transpose in global memory.
// check: --block 32x8 --grid 2x8 --set rows=40 --set columns=50 --set in=2000 --set out=2000
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
