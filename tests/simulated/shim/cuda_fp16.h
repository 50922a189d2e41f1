// Halves on the processor, for kernels that the simulator runs.
#pragma once

#include <bit>

struct __half {
  unsigned short bits;
};

SIMT_INLINE unsigned short __half_as_ushort(__half x) { return x.bits; }
SIMT_INLINE __half __ushort_as_half(unsigned short bits) { return {bits}; }
SIMT_INLINE float __half2float(__half x) { return static_cast<float>(std::bit_cast<_Float16>(x.bits)); }
SIMT_INLINE __half __double2half(double x) {
  return {std::bit_cast<unsigned short>(static_cast<_Float16>(x))};
}
