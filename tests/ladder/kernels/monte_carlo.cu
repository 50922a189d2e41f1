// Each thread its own random numbers; counts by __syncthreads_count.
__global__ void quarter(unsigned int* hits, int n, unsigned int seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int state = seed * 747796405u + i * 2891336453u + 1;
  state = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  float x = (state >> 16) / 65536.0f, y = (state & 0xffff) / 65536.0f;
  int inside = __syncthreads_count(i < n && x * x + y * y < 1);
  if (threadIdx.x == 0) atomicAdd(hits, inside);
}
