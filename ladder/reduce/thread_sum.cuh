// A thread's part of the sum: the idea of the rung grid_stride_16_byte_loads, used by the rung after it.
#pragma once

#include <cstdint>

namespace foldline::ladder::reduce {

/// Every thread of the grid loads 16 bytes at a time, four times before it adds, so that the loads do not
/// wait for each other. x is aligned to 16 bytes.
__device__ inline int thread_sum(const int* x, std::int64_t n) {
  const int4* const vec16s = reinterpret_cast<const int4*>(x);
  const std::int64_t count = n / 4, threads = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  int sum = 0;
  std::int64_t i = thread;
  for (; i + 3 * threads < count; i += 4 * threads) {
    const int4 a = vec16s[i], b = vec16s[i + threads], c = vec16s[i + 2 * threads],
               d = vec16s[i + 3 * threads];
    sum +=
        (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w) + (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
  }
  for (; i < count; i += threads) sum += vec16s[i].x + vec16s[i].y + vec16s[i].z + vec16s[i].w;
  if (thread < n % 4) sum += x[4 * count + thread];
  return sum;
}

}  // namespace foldline::ladder::reduce
