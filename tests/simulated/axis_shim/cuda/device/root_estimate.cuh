// Estimates as a GPU may make them: from the upper 32 bits, and not better than to 20.
#pragma once

#include "arithmetic/floating_point.hpp"

namespace foldline::cuda {

__device__ __forceinline__ double inverse_root_estimate(double x) {
  constexpr std::uint64_t lower = 0xffffffffu;
  if (x < 0) return from_bits(canonical_nan);
  const double root = __dsqrt_rn(from_bits(bits_of(x) & ~lower));
  return from_bits((bits_of(1 / root) & ~lower) + ((bits_of(x) % 3 - 1) << 32));
}

}  // namespace foldline::cuda
