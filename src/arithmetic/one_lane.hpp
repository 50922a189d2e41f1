// The lane operations that bins-inl.hpp uses, for one double: a CPU scalar or a GPU thread.
#pragma once

#include <cmath>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline::one_lane {

#if defined(__CUDA_ARCH__)
__device__ inline double Add(double a, double b) { return __dadd_rn(a, b); }
__device__ inline double Sub(double a, double b) { return __dadd_rn(a, -b); }
__device__ inline double MulAdd(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ inline double NegMulAdd(double a, double b, double c) { return __fma_rn(-a, b, c); }
#else
FOLDLINE_HOST_DEVICE inline double Add(double a, double b) { return a + b; }
FOLDLINE_HOST_DEVICE inline double Sub(double a, double b) { return a - b; }
FOLDLINE_HOST_DEVICE inline double MulAdd(double a, double b, double c) { return std::fma(a, b, c); }
FOLDLINE_HOST_DEVICE inline double NegMulAdd(double a, double b, double c) { return std::fma(-a, b, c); }
#endif
FOLDLINE_HOST_DEVICE inline std::uint64_t OrXor(std::uint64_t bits, double a, double b) {
  return bits | (bits_of(a) ^ bits_of(b));
}

}  // namespace foldline::one_lane

#define FOLDLINE_LANES_BEGIN namespace foldline::one_lane {
#define FOLDLINE_LANES_END }
#define FOLDLINE_LANE_FUNCTION FOLDLINE_HOST_DEVICE inline
#include "arithmetic/bins-inl.hpp"
#undef FOLDLINE_LANES_BEGIN
#undef FOLDLINE_LANES_END
#undef FOLDLINE_LANE_FUNCTION
