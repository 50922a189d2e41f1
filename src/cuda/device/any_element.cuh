// Elements whose type is known at run time only.
#pragma once

#include <cstddef>

#include "cuda/device/elements.cuh"

namespace foldline::cuda {

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
#pragma unroll 1
  for (int i = 0; i < size; ++i) bits |= std::uint64_t{static_cast<unsigned char>(address[i])} << (8 * i);
  return bits;
}

}  // namespace foldline::cuda
