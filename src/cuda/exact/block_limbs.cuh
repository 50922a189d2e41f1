// Limbs in memory that several threads add to: the destination of terms that no window holds.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/limbs.hpp"

namespace foldline::cuda {

using Word = unsigned long long;  // the type that atomicAdd takes; two's complement

/// Each word has a weight of 32 bits more than the one before. The range is that of products, which includes
/// that of sums of doubles. A launch adds fewer than 2^31 terms to a word, so no word overflows.
inline constexpr int first_exponent = ProductLimbs::first_exponent;
inline constexpr int word_count = ProductLimbs::count;

/// An order key as a word of the same order: the highest of all blocks is a maximum by atomicMax, the lowest
/// that of inverted words.
__device__ __forceinline__ Word word_of_key(std::int64_t key) { return static_cast<Word>(key) ^ sign_bit; }
__device__ __forceinline__ std::int64_t key_of_word(Word word) {
  return static_cast<std::int64_t>(word ^ sign_bit);
}

/// Adds +-magnitude * 2^exponent. Most of the five digits are zero and are skipped.
__device__ inline void add_to_limbs(Word* word, bool negative, Uint128 magnitude, int exponent) {
  const int offset = exponent - first_exponent;
  const int shift = offset % 32;
  word += offset / 32;
  const Uint128 low = magnitude << shift;
  const auto high = shift == 0 ? 0u : static_cast<std::uint32_t>(magnitude >> (128 - shift));
  const std::uint32_t digits[5] = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                                   static_cast<std::uint32_t>(low >> 64),
                                   static_cast<std::uint32_t>(low >> 96), high};
#pragma unroll
  for (int i = 0; i < 5; ++i)
    if (digits[i] != 0) atomicAdd(word + i, negative ? Word{0} - digits[i] : Word{digits[i]});
}

__device__ inline void add_to_limbs(Word* word, std::int64_t value, int exponent) {
  const auto bits = static_cast<std::uint64_t>(value);
  add_to_limbs(word, value < 0, value < 0 ? ~bits + 1 : bits, exponent);
}

/// Spills finite terms to limbs; see Spill in digits.cuh.
struct LimbSpill {
  Word* word;
  __device__ void add(std::int64_t value, int exponent) const { add_to_limbs(word, value, exponent); }
  __device__ void add(double t) const {
    const Decomposed parts = decompose(t);
    add_to_limbs(word, parts.negative, parts.significand, parts.exponent);
  }
  __device__ void add_product(double a, double b) const {
    const Decomposed x = decompose(a), y = decompose(b);
    add_to_limbs(word, x.negative != y.negative, static_cast<Uint128>(x.significand) * y.significand,
                 x.exponent + y.exponent);
  }
};

}  // namespace foldline::cuda
