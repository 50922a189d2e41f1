// Vectors whose type, stride and alignment are known at run time only.
#pragma once

#include "arithmetic/host_device.hpp"
#include "cuda/device/any_element.cuh"

namespace foldline::cuda {

struct AnyVector {
  std::byte* first;
  std::int64_t step;  // in bytes
  ElementType type;
  int element_bytes;
  bool has_sign;

  __host__ AnyVector(const void* data, ElementType of, std::int64_t stride)
      : first(static_cast<std::byte*>(const_cast<void*>(data))),
        step(stride * size_of(of)),
        type(of),
        element_bytes(static_cast<int>(size_of(of))),
        has_sign(is_signed(of)) {}

  __device__ void store(std::int64_t i, std::uint64_t bits) const { store_at(first + i * step, bits); }
  __device__ void store_at(std::byte* target, std::uint64_t bits) const {
    if (reinterpret_cast<std::uintptr_t>(target) % static_cast<unsigned>(element_bytes) == 0) {
      switch (element_bytes) {
        case 8:
          *reinterpret_cast<std::uint64_t*>(target) = bits;
          return;
        case 4:
          *reinterpret_cast<std::uint32_t*>(target) = static_cast<std::uint32_t>(bits);
          return;
        case 2:
          *reinterpret_cast<std::uint16_t*>(target) = static_cast<std::uint16_t>(bits);
          return;
        default:
          break;
      }
    }
    for (int b = 0; b < element_bytes; ++b) target[b] = static_cast<std::byte>(bits >> (8 * b));
  }

  /// Element i of a vector of integers; |value| < 2^64.
  __device__ Int128 integer(std::int64_t i) const { return integer_at(first + i * step); }
  __device__ Int128 integer_at(const std::byte* address) const {
    const std::uint64_t word = bits_at(address, element_bytes);
    if (type == ElementType::boolean) return word != 0 ? 1 : 0;
    if (!has_sign) return static_cast<Int128>(word);
    const int above = 64 - 8 * element_bytes;
    return static_cast<std::int64_t>(word << above) >> above;
  }
  /// An element of a vector of floating-point numbers.
  __device__ double floating_at(const std::byte* address) const {
    const std::uint64_t word = bits_at(address, element_bytes);
    switch (type) {
      case ElementType::half:
        return widen(Half{static_cast<std::uint16_t>(word)});
      case ElementType::bfloat16:
        return widen(Bfloat16{static_cast<std::uint16_t>(word)});
      case ElementType::float32:
        return static_cast<double>(__uint_as_float(static_cast<unsigned>(word)));
      default:
        return from_bits(word);
    }
  }
};

}  // namespace foldline::cuda
