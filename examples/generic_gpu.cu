// A recurrence with one's own type and operator on a GPU: the same bits as on the CPU.
#include <cuda_runtime.h>
#include <foldline/cuda/generic.cuh>
#include <foldline/device.hpp>
#include <foldline/generic.hpp>

#include <cstdio>

namespace {

// y -> factor * y + offset
struct Affine {
  double factor, offset;
};

// First a, then b.
struct Then {
  __host__ __device__ Affine operator()(const Affine& a, const Affine& b) const {
    return {b.factor * a.factor, b.factor * a.offset + b.offset};
  }
};

// Element i is computed while it is read.
struct MapOf {
  const double* x;
  __host__ __device__ Affine operator()(std::int64_t i) const { return {0.5, x[i]}; }
};

}  // namespace

int main() {
  if (foldline::gpus().empty()) {
    std::printf("no GPU here: %s\n", foldline::why_no_gpu().c_str());
    return 0;
  }
  constexpr std::int64_t n = 100'000;
  double* x = nullptr;
  Affine* result = nullptr;
  cudaMallocManaged(&x, n * sizeof(double));
  cudaMallocManaged(&result, sizeof(Affine));
  for (std::int64_t i = 0; i < n; ++i) x[i] = 1.0 / static_cast<double>(i + 1);

  foldline::generic::cuda::Scratch scratch;
  foldline::generic::cuda::transform_reduce(result, n, Affine{1, 0}, Then(), MapOf{x}, scratch);
  cudaDeviceSynchronize();
  const Affine on_cpu = foldline::generic::transform_reduce(n, Affine{1, 0}, Then(), MapOf{x});
  std::printf("y = %.17g * y0 + %.17g\n", result->factor, result->offset);
  return result->offset == on_cpu.offset && cudaGetLastError() == cudaSuccess ? 0 : 1;
}
