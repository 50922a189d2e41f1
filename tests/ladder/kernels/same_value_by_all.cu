// Many threads store the same: a flag that something was found.
__global__ void any_above(const float* x, int* found, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > limit) *found = 1;
}
