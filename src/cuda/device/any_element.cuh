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

/// Decodes the low bits of `bits` as an integer of up to 32 bits or a bool.
__device__ inline std::int64_t decode_short_integer(std::uint64_t bits, ElementType type) {
  switch (type) {
    case ElementType::int8:
      return static_cast<std::int8_t>(bits);
    case ElementType::int16:
      return static_cast<std::int16_t>(bits);
    case ElementType::int32:
      return static_cast<std::int32_t>(bits);
    case ElementType::boolean:
      return key_of(Boolean{static_cast<std::uint8_t>(bits)});
    default:
      return static_cast<std::uint32_t>(bits);
  }
}

/// Decodes the low bits of `bits` as an element of `type`.
__device__ inline AnyElement decode(std::uint64_t bits, ElementType type) {
  double number;
  switch (type) {
    case ElementType::half:
      number = widen(Half{static_cast<std::uint16_t>(bits)});
      break;
    case ElementType::bfloat16:
      number = widen(Bfloat16{static_cast<std::uint16_t>(bits)});
      break;
    case ElementType::float32:
      number = widen(__uint_as_float(static_cast<unsigned>(bits)));
      break;
    case ElementType::float64:
      number = from_bits(bits);
      break;
    case ElementType::int64:
      return {widen(static_cast<std::int64_t>(bits)), key_of(static_cast<std::int64_t>(bits)), false};
    case ElementType::uint64:
      return {widen(bits), key_of(bits), false};
    default:
      const std::int64_t integer = decode_short_integer(bits, type);
      return {{static_cast<double>(integer), 0.0}, integer, false};
  }
  return {{number, 0.0}, key_of(number), is_negative_zero(number)};
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
