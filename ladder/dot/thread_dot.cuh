// A thread's part of a dot product, four pairs at a time.
#pragma once

#include <cstdint>

namespace foldline::ladder::dot {

/// Every thread of the grid loads four pairs before it adds, so that the loads do not wait for each other.
template <class T>
__device__ T thread_dot(const T* x, const T* y, std::int64_t n) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  T sum = 0;
  for (; i + 3 * threads < n; i += 4 * threads) {
    const T a = x[i], b = x[i + threads], c = x[i + 2 * threads], d = x[i + 3 * threads];
    sum += (a * y[i] + b * y[i + threads]) + (c * y[i + 2 * threads] + d * y[i + 3 * threads]);
  }
  for (; i < n; i += threads) sum += x[i] * y[i];
  return sum;
}

/// The depth of this and of the sum over a block: at most one rounding per pair, and 3 per four pairs.
inline double depth_of_grid(std::int64_t n, std::int64_t blocks, int block) {
  return blocks == 0 ? 0 : static_cast<double>(n / (blocks * block)) + 20;
}

}  // namespace foldline::ladder::dot
