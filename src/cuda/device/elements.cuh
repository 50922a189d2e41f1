// Element types, and their conversion to what the arithmetic takes: a double, or an exact sum of two.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "contract/order_key.hpp"
#include "cuda/device/lane.cuh"
#include "foldline/types.hpp"

namespace foldline::cuda {

/// A 64-bit integer as the exact sum high + low; high is a multiple of 2^32.
struct DoublePair {
  double high, low;
};

// Element types that C++ lacks.
struct Half {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};
struct Boolean {
  std::uint8_t byte;
};

// The element as a double if one holds it, else as a pair.
__device__ __forceinline__ double widen(double x) { return x; }
__device__ __forceinline__ double widen(float x) { return static_cast<double>(x); }
__device__ __forceinline__ double widen(Half x) {
  return static_cast<double>(__half2float(__ushort_as_half(x.bits)));
}
__device__ __forceinline__ double widen(Bfloat16 x) {
  return static_cast<double>(__uint_as_float(static_cast<unsigned>(x.bits) << 16));
}
__device__ __forceinline__ double widen(Boolean x) { return x.byte != 0 ? 1.0 : 0.0; }
__device__ __forceinline__ DoublePair widen(std::int64_t x) {
  return {static_cast<double>(static_cast<std::int32_t>(x >> 32)) * 4294967296.0,
          static_cast<double>(static_cast<std::uint32_t>(x))};
}
__device__ __forceinline__ DoublePair widen(std::uint64_t x) {
  return {static_cast<double>(static_cast<std::uint32_t>(x >> 32)) * 4294967296.0,
          static_cast<double>(static_cast<std::uint32_t>(x))};
}
template <class Integer>
  requires(std::is_integral_v<Integer> && sizeof(Integer) <= 4)
__device__ __forceinline__ double widen(Integer x) {
  return static_cast<double>(x);
}
__device__ __forceinline__ DoublePair widen(DoublePair x) { return x; }

// A 64-bit signed integer that orders as the elements do. For uint64 the top bit is inverted.
template <class Element>
__device__ __forceinline__ std::int64_t key_of(Element x) {
  if constexpr (std::is_same_v<Element, std::uint64_t>)
    return static_cast<std::int64_t>(x ^ sign_bit);
  else if constexpr (std::is_integral_v<Element>)
    return x;
  else if constexpr (std::is_same_v<Element, Boolean>)
    return x.byte != 0;
  else
    return order_key(widen(x));
}

// Tests the element's own bits: converting it to double first would take one more register.
template <class Element>
__device__ __forceinline__ bool is_negative_zero(Element x) {
  if constexpr (std::is_integral_v<Element>)
    return false;
  else if constexpr (std::is_same_v<Element, float>)
    return __float_as_uint(x) == 0x80000000u;
  else if constexpr (std::is_same_v<Element, Half> || std::is_same_v<Element, Bfloat16>)
    return x.bits == 0x8000u;
  else
    return bits_of(widen(x)) == sign_bit;
}

/// The neutral element of addition: -0 rather than +0, so that a sum of -0 alone stays -0.
template <class Element>
__device__ __forceinline__ Element neutral() {
  if constexpr (std::is_floating_point_v<Element>)
    return Element(-0.0);
  else if constexpr (std::is_same_v<Element, Half> || std::is_same_v<Element, Bfloat16>)
    return {0x8000};
  else
    return {};
}

}  // namespace foldline::cuda
