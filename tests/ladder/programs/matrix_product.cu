// The product of two matrices of doubles with 16 x 16 tiles, and with tiles whose memory the launch gives.
#include <cstdio>
#include <vector>

#define TILE 16

__global__ void tiles(const double* a, const double* b, double* c, int n) {
  __shared__ double as[TILE][TILE];
  __shared__ double bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < n; k += TILE) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < TILE; j++) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void dynamic_tiles(const double* a, const double* b, double* c, int n) {
  extern __shared__ double memory[];
  const int tile = blockDim.x;
  double *as = memory, *bs = memory + tile * tile;
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < n; k += tile) {
    as[threadIdx.y * tile + threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y * tile + threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int j = 0; j < tile; j++) sum += as[threadIdx.y * tile + j] * bs[j * tile + threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int wrong_entries(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c, int n) {
  int wrong = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      wrong += sum != c[i * n + j];
    }
  return wrong;
}

int main() {
  const int n = 64;
  const size_t bytes = n * n * sizeof(double);
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = i % 11;
    b[i] = i % 13;
  }
  double *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice);
  dim3 grid(n / TILE, n / TILE), block(TILE, TILE);
  tiles<<<grid, block>>>(d_a, d_b, d_c, n);
  cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
  printf("tiles: %d entries wrong\n", wrong_entries(a, b, c, n));
  cudaMemset(d_c, 0, bytes);
  dynamic_tiles<<<dim3(n / 8, n / 8), dim3(8, 8), 2 * 8 * 8 * sizeof(double)>>>(d_a, d_b, d_c, n);
  cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
  printf("dynamic tiles: %d entries wrong\n", wrong_entries(a, b, c, n));
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
