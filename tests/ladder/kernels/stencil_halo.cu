// A stencil of radius 3 with its halo in shared memory.
#define RADIUS 3
#define BLOCK 256
__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float part[BLOCK + 2 * RADIUS];
  int i = blockIdx.x * BLOCK + threadIdx.x, local = threadIdx.x + RADIUS;
  part[local] = i < n ? in[i] : 0;
  if (threadIdx.x < RADIUS) {
    part[local - RADIUS] = i >= RADIUS && i - RADIUS < n ? in[i - RADIUS] : 0;
    part[local + BLOCK] = i + BLOCK < n ? in[i + BLOCK] : 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) sum += part[local + k];
  if (i < n) out[i] = sum;
}
