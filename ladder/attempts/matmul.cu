// Your own product of matrices. What stays is the function solve() with these parameters; all else is yours:
// kernels, blocks, shared memory, as many launches as you like. `foldline ladder try matmul` and the name of
// this file compile it for the simulator, look for mistakes (races, barriers, bounds, unwritten memory),
// compare its results at awkward sizes, count what it does, and show it among the rungs of the ladder.

/// Right, and slow: one block, of which each thread takes every 256th row of C.
template <class T>
__global__ void multiply_rows(const T* a, const T* b, T* c, int rows, int inner, int columns) {
  for (int row = threadIdx.x; row < rows; row += blockDim.x)
    for (int column = 0; column < columns; ++column) {
      T sum = 0;
      for (int i = 0; i < inner; ++i) sum += a[row * inner + i] * b[i * columns + column];
      c[row * columns + column] = sum;
    }
}

/// C = A B, row after row: a is rows x inner, b is inner x columns, and c, which has no value yet, is rows x
/// columns. All are in the GPU's memory. Each length can be anything from 0 on; a launch of 0 blocks is an
/// error. T is float or double; a solve() for one of them alone is tried with that one.
template <class T>
void solve(const T* a, const T* b, T* c, int rows, int inner, int columns) {
  multiply_rows<<<1, 256>>>(a, b, c, rows, inner, columns);
}
