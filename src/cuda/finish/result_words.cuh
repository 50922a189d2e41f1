// Adapts exact sums of kernels to rounded_results.hpp, and stores results.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

#include "arithmetic/natural.hpp"
#include "foldline/types.hpp"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

/// An exact sum in limbs; see rounded_results.hpp.
struct WordSum {
  foldline::Specials specials;
  const std::int64_t* word;
  int exponent, words;

  struct Magnitude {
    bool negative;
    int exponent;
  };
  template <int C>
  __device__ Magnitude magnitude(Natural<C>& number) const {
    const SignedDigits digits = magnitude_of(word, words, number);
    return {digits.negative, exponent + 32 * digits.skipped};
  }
};

__device__ inline WideKey wide_key_of(std::int64_t key, ElementType type) {
  switch (type) {
    case ElementType::half:
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::float64:
      return wide_key(from_order_key(key));
    case ElementType::uint64:
      return wide_key(static_cast<std::uint64_t>(key) ^ sign_bit);
    default:
      return wide_key(key);
  }
}

/// The bits of a number of the given type.
__device__ inline std::uint64_t encoded(double x, ElementType type) {
  const bool is_nan = x != x;  // a conversion would change the bits of a NaN
  switch (type) {
    case ElementType::half:
      return is_nan ? 0x7e00u : __half_as_ushort(__double2half(x));
    case ElementType::bfloat16:
      return is_nan ? 0x7fc0u : __float_as_uint(__double2float_rn(x)) >> 16;
    case ElementType::float32:
      return is_nan ? 0x7fc00000u : __float_as_uint(__double2float_rn(x));
    default:
      return bits_of(x);
  }
}

__device__ inline void store_bits(std::byte* address, std::uint64_t bits, int bytes) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(address) & static_cast<unsigned>(bytes - 1)) == 0;
  if (aligned && bytes == 8)
    *reinterpret_cast<std::uint64_t*>(address) = bits;
  else if (aligned && bytes == 4)
    *reinterpret_cast<std::uint32_t*>(address) = static_cast<std::uint32_t>(bits);
  else
    for (int i = 0; i < bytes; ++i) address[i] = static_cast<std::byte>(bits >> (8 * i));
}

}  // namespace foldline::cuda
