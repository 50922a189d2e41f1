// Numbers as the bits of their types.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "foldline/types.hpp"

namespace foldline::cuda {

/// The bits of a value rounded to `type`. NaN becomes the canonical one: hardware conversions give other NaN.
__device__ inline std::uint64_t encoded(double value, ElementType type) {
  const bool is_nan = value != value;
  switch (type) {
    case ElementType::half:
      return is_nan ? 0x7e00u : __half_as_ushort(__double2half(value));
    case ElementType::bfloat16:
      return is_nan ? 0x7fc0u : __float_as_uint(__double2float_rn(value)) >> 16;
    case ElementType::float32:
      return is_nan ? 0x7fc00000u : __float_as_uint(__double2float_rn(value));
    default:
      return is_nan ? canonical_nan : bits_of(value);
  }
}

}  // namespace foldline::cuda
