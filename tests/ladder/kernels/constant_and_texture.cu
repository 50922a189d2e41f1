// A polynomial whose coefficients are constant, of values from a texture.
__constant__ float coefficients[4];
__global__ void polynomial(cudaTextureObject_t values, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = tex1Dfetch<float>(values, i), y = 0;
  for (int k = 3; k >= 0; k--) y = y * x + coefficients[k];
  out[i] = y;
}
