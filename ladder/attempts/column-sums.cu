// Your own sums of columns. What stays is the function solve() with these parameters; all else is yours:
// kernels, blocks, shared memory, as many launches as you like. `foldline ladder try column-sums` and the
// name of this file compile it for the simulator, look for mistakes (races, barriers, bounds, unwritten
// memory), compare its results at awkward sizes, count what it does, and show it among the rungs of the
// ladder.

/// Right, and slow: one warp, of which each thread takes every 32nd column.
__global__ void add_columns(const double* matrix, int rows, int columns, double* sums) {
  for (int c = threadIdx.x; c < columns; c += blockDim.x) {
    double sum = 0;
    for (int r = 0; r < rows; ++r) sum += matrix[r * columns + c];
    sums[c] = sum;
  }
}

/// matrix: element (r, c) is matrix[r * columns + c]. sums: one for each column, without a value yet. Both
/// are in the GPU's memory. Rows and columns can be anything from 0 on; a launch of 0 blocks is an error.
void solve(const double* matrix, int rows, int columns, double* sums) {
  add_columns<<<1, 32>>>(matrix, rows, columns, sums);
}
