// Idea: Simpson's rule with compensated sums: the rounded sum, and the sum of its rounding errors, each of
// which is a floating-point number (Knuth's TwoSum: six operations and no branch).
// Fixes: for any n, the error is about that of a sum in twice the precision.
// Limit: about, not exactly: the sum of the errors is rounded itself, and another grid gives other last bits.
#include "common/grid.cuh"
#include "quadrature/bench.hpp"
#include "quadrature/nodes.cuh"

namespace foldline::ladder::quadrature {
namespace {

template <class T>
struct Sum {
  T rounded = 0, rest = 0;

  /// Correct only without fast-math, which would "simplify" the error to 0.
  __device__ void add(T x) {
    const T next = rounded + x, of_x = next - rounded;
    rest += (rounded - (next - of_x)) + (x - of_x);
    rounded = next;
  }
  __device__ void add(const Sum& other) {
    add(other.rounded);
    rest += other.rest;
  }
};

/// In lane 0. All 32 lanes must call it.
template <class T>
__device__ Sum<T> sum_of_warp(Sum<T> sum) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    sum.add({__shfl_down_sync(0xffffffff, sum.rounded, distance),
             __shfl_down_sync(0xffffffff, sum.rest, distance)});
  return sum;
}

/// Writes two numbers per block.
template <class T, class F>
__global__ void add_parabolas_with_residuals(F f, std::int64_t n, T h, T* partials) {
  __shared__ T rounded[32], rest[32];
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  Sum<T> sum;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i <= n; i += threads) {
    const T weight = i == 0 || i == n ? T(1) : i % 2 == 1 ? T(4) : T(2);
    sum.add(weight * f(end_of(i, h)));
  }
  sum = sum_of_warp(sum);
  if (lane == 0) {
    rounded[warp] = sum.rounded;
    rest[warp] = sum.rest;
  }
  __syncthreads();
  if (warp > 0) return;
  sum = sum_of_warp(lane < warps ? Sum<T>{rounded[lane], rest[lane]} : Sum<T>{});
  if (lane > 0) return;
  partials[2 * blockIdx.x] = sum.rounded;
  partials[2 * blockIdx.x + 1] = sum.rest;
}

}  // namespace

template <class T>
void simpson_with_residuals(Bench<T>& bench) {
  need_pairs(bench.n());
  with(bench.integrand(), [&](auto f) {
    const std::int64_t n = bench.n(), blocks = resident_blocks(n + 1, bench.block());
    launch(add_parabolas_with_residuals<T, decltype(f)>, blocks, bench.block(), 0, f, n, width_of<T>(n),
           bench.partials(2 * blocks, Rule::simpson, 4));
  });
}

template void simpson_with_residuals(Bench<float>&);
template void simpson_with_residuals(Bench<double>&);

}  // namespace foldline::ladder::quadrature
