// Adapts exact sums of kernels to rounded_results.hpp, and stores results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/natural.hpp"
#include "cuda/finish/encoded.cuh"
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
