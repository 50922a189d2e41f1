// An estimate of a root, for those who check what they make of it.
#pragma once

namespace foldline::cuda {

/// 1 / sqrt(x) of a normal x, from its upper 32 bits: to about 20 bits. NaN of a negative x.
__device__ __forceinline__ double inverse_root_estimate(double x) {
  double estimate;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(x));
  return estimate;
}

}  // namespace foldline::cuda
