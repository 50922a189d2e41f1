// A step of Jacobi's method.
// check: --block 16x16 --grid 3x2 --set width=40 --set height=30 --set in=1200 --set out=1200
__global__ void jacobi(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
    out[y * width + x] = 0.25f * (in[y * width + x - 1] + in[y * width + x + 1] + in[(y - 1) * width + x] +
                                  in[(y + 1) * width + x]);
}
