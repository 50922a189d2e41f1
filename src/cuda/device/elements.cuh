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

/// An element whose type is known at run time only.
struct AnyElement {
  DoublePair value;
  std::int64_t key;
  bool negative_zero;
};
__device__ __forceinline__ DoublePair widen(const AnyElement& x) { return x.value; }
__device__ __forceinline__ std::int64_t key_of(const AnyElement& x) { return x.key; }
__device__ __forceinline__ bool is_negative_zero(const AnyElement& x) { return x.negative_zero; }
template <>
__device__ __forceinline__ AnyElement neutral() {
  return {{-0.0, -0.0}, 0, true};
}

template <class Element>
__device__ __forceinline__ AnyElement as_any(Element x) {
  const auto value = widen(x);
  if constexpr (std::is_same_v<decltype(value), const DoublePair>)
    return {value, key_of(x), false};
  else
    return {{value, 0.0}, key_of(x), is_negative_zero(x)};
}

/// Decodes the low bits of `bits` as an element of `type`.
__device__ inline AnyElement decode(std::uint64_t bits, ElementType type) {
  switch (type) {
    case ElementType::half:
      return as_any(Half{static_cast<std::uint16_t>(bits)});
    case ElementType::bfloat16:
      return as_any(Bfloat16{static_cast<std::uint16_t>(bits)});
    case ElementType::float32:
      return as_any(__uint_as_float(static_cast<unsigned>(bits)));
    case ElementType::float64:
      return as_any(from_bits(bits));
    case ElementType::int8:
      return as_any(static_cast<std::int8_t>(bits));
    case ElementType::int16:
      return as_any(static_cast<std::int16_t>(bits));
    case ElementType::int32:
      return as_any(static_cast<std::int32_t>(bits));
    case ElementType::int64:
      return as_any(static_cast<std::int64_t>(bits));
    case ElementType::uint8:
    case ElementType::uint16:
    case ElementType::uint32:
      return as_any(static_cast<std::uint32_t>(bits));
    case ElementType::uint64:
      return as_any(bits);
    case ElementType::boolean:
      return as_any(Boolean{static_cast<std::uint8_t>(bits)});
  }
  return neutral<AnyElement>();
}

/// Reads `size` (1, 2, 4 or 8) bytes at any address.
__device__ inline std::uint64_t bits_at(const std::byte* address, int size) {
  if ((reinterpret_cast<std::uintptr_t>(address) & static_cast<unsigned>(size - 1)) == 0) switch (size) {
      case 8:
        return *reinterpret_cast<const std::uint64_t*>(address);
      case 4:
        return *reinterpret_cast<const std::uint32_t*>(address);
      case 2:
        return *reinterpret_cast<const std::uint16_t*>(address);
      default:
        break;
    }
  std::uint64_t bits = 0;
  for (int i = 0; i < size; ++i) bits |= std::uint64_t{static_cast<unsigned char>(address[i])} << (8 * i);
  return bits;
}

}  // namespace foldline::cuda
