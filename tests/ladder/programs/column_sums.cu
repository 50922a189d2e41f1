// Sums of the columns of a tall matrix in three ways, against the host's: column_sums ROWS COLUMNS
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define TOLERANCE 0.001

__global__ void original(const double* matrix, double* sums, int m, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  double sum = 0;
  for (int row = 0; row < m; row++) sum += matrix[row * n + column];
  sums[column] = sum;
}

// Sixteen slices of each column, a block of 64 x 16 threads.
__global__ void sliced(const double* matrix, double* sums, int m, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= n) return;
  int rows = m / blockDim.y;
  double sum = 0;
  for (int row = threadIdx.y * rows; row < (threadIdx.y + 1) * rows; row++) sum += matrix[row * n + column];
  atomicAdd(&sums[column], sum);
}

// Eight blocks of 8 x 128 threads: the columns are dealt out to the blocks, and the blocks left over take other
// rows.
__global__ void regrouped(const double* matrix, double* sums, int m, int n) {
  int groups = n / 8, group = blockIdx.x % groups;
  int slices = gridDim.x / groups * blockDim.y;
  int slice = blockIdx.x / groups * blockDim.y + threadIdx.y;
  int column = group * 8 + threadIdx.x;
  int rows = m / slices;
  double sum = 0;
  for (int row = slice * rows; row < (slice + 1) * rows; row++) sum += matrix[row * n + column];
  atomicAdd(&sums[column], sum);
}

int same(const double* a, const double* b, int n) {
  for (int i = 0; i < n; i++)
    if (fabs(a[i] - b[i]) > TOLERANCE) return 0;
  return 1;
}

int main(int argc, char** argv) {
  int m = argc > 1 ? atoi(argv[1]) : 4096, n = argc > 2 ? atoi(argv[2]) : 32;
  double* matrix = (double*)malloc((size_t)m * n * sizeof(double));
  double* sums = (double*)calloc(n, sizeof(double));
  double* result = (double*)malloc(n * sizeof(double));
  srand(0);
  for (int i = 0; i < m * n; i++) matrix[i] = (double)(rand() % 10) / 100000;
  for (int column = 0; column < n; column++)
    for (int row = 0; row < m; row++) sums[column] += matrix[row * n + column];

  double *d_matrix, *d_sums;
  cudaMalloc(&d_matrix, (size_t)m * n * sizeof(double));
  cudaMalloc(&d_sums, n * sizeof(double));
  cudaMemcpy(d_matrix, matrix, (size_t)m * n * sizeof(double), cudaMemcpyHostToDevice);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);

  const char* names[] = {"original", "sliced", "regrouped"};
  int failed = 0;
  for (int version = 0; version < 3; version++) {
    cudaMemset(d_sums, 0, n * sizeof(double));
    cudaEventRecord(start);
    if (version == 0)
      original<<<(n + 127) / 128, 128>>>(d_matrix, d_sums, m, n);
    else if (version == 1)
      sliced<<<(n + 63) / 64, dim3(64, 16)>>>(d_matrix, d_sums, m, n);
    else
      regrouped<<<8, dim3(8, 128)>>>(d_matrix, d_sums, m, n);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, start, stop);
    fprintf(stderr, "%s: %f ms\n", names[version], milliseconds);
    if (cudaGetLastError() != cudaSuccess) printf("%s did not start\n", names[version]);
    cudaMemcpy(result, d_sums, n * sizeof(double), cudaMemcpyDeviceToHost);
    int passed = same(result, sums, n);
    printf("%s: %s\n", names[version], passed ? "Passed" : "Failed");
    failed += !passed;
  }
  cudaFree(d_matrix);
  cudaFree(d_sums);
  free(matrix);
  free(sums);
  free(result);
  return failed;
}
