// The operations that bins-inl.hpp is written in, for one GPU thread.
#pragma once

#include "arithmetic/floating_point.hpp"
#include "arithmetic/windows.hpp"

namespace foldline::cuda {

/// Accumulated bit differences, in two registers: the test whether a sum stayed in its binade uses the high
/// word only, so the compiler can drop the low one.
struct Bits {
  unsigned high = 0, low = 0;
};

__device__ __forceinline__ unsigned high_bits(double x) { return static_cast<unsigned>(__double2hiint(x)); }
__device__ __forceinline__ unsigned low_bits(double x) { return static_cast<unsigned>(__double2loint(x)); }

__device__ __forceinline__ bool is_finite(double t) { return (high_bits(t) & 0x7ff00000u) != 0x7ff00000u; }

/// The exponent of the lowest set bit of a non-zero number.
__device__ __forceinline__ int last_place(const Decomposed& x) {
  return x.exponent + __ffsll(static_cast<long long>(x.significand)) - 1;
}

// Intrinsics, because the compiler must neither contract nor reorder these.
__device__ __forceinline__ double Add(double a, double b) { return __dadd_rn(a, b); }
__device__ __forceinline__ double Sub(double a, double b) { return __dadd_rn(a, -b); }
__device__ __forceinline__ double MulAdd(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ __forceinline__ double NegMulAdd(double a, double b, double c) { return __fma_rn(-a, b, c); }
__device__ __forceinline__ Bits OrXor(Bits bits, double a, double b) {
  return {bits.high | (high_bits(a) ^ high_bits(b)), bits.low | (low_bits(a) ^ low_bits(b))};
}

}  // namespace foldline::cuda

#define FOLDLINE_LANES_BEGIN namespace foldline::cuda {
#define FOLDLINE_LANES_END }
#define FOLDLINE_LANE_FUNCTION __device__ __forceinline__
#include "arithmetic/bins-inl.hpp"
#undef FOLDLINE_LANES_BEGIN
#undef FOLDLINE_LANES_END
#undef FOLDLINE_LANE_FUNCTION
