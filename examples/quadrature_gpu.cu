// An integral on a GPU: the same bits as on the CPU.
#include <cuda_runtime.h>
#include <foldline/cuda/quadrature.cuh>
#include <foldline/device.hpp>

#include <cstdio>

namespace {

struct QuarterCircle {
  __host__ __device__ double operator()(double x) const { return 4 / (1 + x * x); }
};

}  // namespace

int main() {
  if (foldline::gpus().empty()) {
    std::printf("no GPU here: %s\n", foldline::why_no_gpu().c_str());
    return 0;
  }
  const std::int64_t n = 10'000'000;
  const foldline::Rule rule = foldline::Rule::midpoint();
  const foldline::Integral on_gpu = foldline::cuda::integrate(QuarterCircle(), 0, 1, rule, n);
  const foldline::Integral on_cpu = foldline::integrate(QuarterCircle(), 0, 1, rule, n);
  std::printf("%.17g from %lld samples\n", on_gpu.value, static_cast<long long>(on_gpu.evaluations));
  return on_gpu.value == on_cpu.value ? 0 : 1;
}
