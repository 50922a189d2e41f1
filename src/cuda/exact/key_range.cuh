// Between which powers of two the non-zero elements of a vector lie, from integers that order as their
// magnitudes do, and of which power of two they are multiples.
#pragma once

#include "cuda/device/elements.cuh"

namespace foldline::cuda {

/// How to read an element's key: the bits of its magnitude, of a double the upper ones and a last one for the
/// others. The exponent stands above `below` bits.
template <class T>
struct KeyFormat;
template <>
struct KeyFormat<double> {
  static constexpr int below = 21, bias = 1023, fraction = 52, infinite = 0x7ff;
};
template <>
struct KeyFormat<float> {
  static constexpr int below = 23, bias = 127, fraction = 23, infinite = 0xff;
};
template <>
struct KeyFormat<Bfloat16> {
  static constexpr int below = 7, bias = 127, fraction = 7, infinite = 0xff;
};
template <>
struct KeyFormat<Half> {
  static constexpr int below = 10, bias = 15, fraction = 10, infinite = 0x1f;
};

/// The largest key, and the smallest of non-zero elements less 1: zeros give the largest number. Keys of 16
/// bits go by twos.
template <class T>
struct KeyRange {
  using Format = KeyFormat<T>;
  static constexpr bool by_twos = sizeof(T) == 2;
  unsigned highest = 0, lowest = ~0u;
  unsigned bits = 0, high_bits = 0;  // those that any element has, of a double in two halves

  /// Observes the elements of 16 bytes.
  __device__ __forceinline__ void observe(const uint4& words) {
    if constexpr (sizeof(T) == 8) {
      observe_word(words.x, words.y);
      observe_word(words.z, words.w);
    } else {
      observe_word(words.x, 0);
      observe_word(words.y, 0);
      observe_word(words.z, 0);
      observe_word(words.w, 0);
    }
  }
  /// Observes what 4 bytes hold, or a double's 8.
  __device__ __forceinline__ void observe_word(unsigned word, unsigned high_word) {
    if constexpr (sizeof(T) == 8) {
      include((high_word << 1) + min(word, 1u));
      bits |= word;
      high_bits |= high_word;
    } else if constexpr (by_twos) {
      const unsigned keys = word & 0x7fff7fffu;
      bits |= word;
      highest = __vmaxu2(highest, keys);
#if __CUDA_ARCH__ >= 900
      lowest = __viaddmin_u16x2(keys, ~0u, lowest);
#else
      lowest = __vminu2(lowest, __vsub2(keys, 0x00010001u));
#endif
    } else {
      include(word & 0x7fffffffu);
      bits |= word;
    }
  }
  __device__ __forceinline__ void merge(const KeyRange& other) {
    bits |= other.bits;
    if constexpr (sizeof(T) == 8) high_bits |= other.high_bits;
    if constexpr (by_twos) {
      highest = __vmaxu2(highest, other.highest);
      lowest = __vminu2(lowest, other.lowest);
    } else {
      highest = max(highest, other.highest);
      lowest = min(lowest, other.lowest);
    }
  }

  /// Adds what the lane at a distance knows.
  __device__ __forceinline__ void merge_lane(int distance) {
    KeyRange other;
    const auto take = [distance](unsigned of) { return __shfl_xor_sync(0xffffffffu, of, distance); };
    other.highest = take(highest);
    other.lowest = take(lowest);
    other.bits = take(bits);
    if constexpr (sizeof(T) == 8) other.high_bits = take(high_bits);
    merge(other);
  }

  __device__ bool all_finite() const { return exponent_of(highest_key()) < Format::infinite; }
  __device__ bool has_nan() const {
    return highest_key() > static_cast<unsigned>(Format::infinite) << Format::below;
  }
  __device__ bool all_zero() const { return highest_key() == 0; }
  /// All elements are below 2^top() if they are finite, and multiples of 2^unit().
  __device__ int top() const { return exponent_of(highest_key()) - Format::bias + 1; }
  __device__ int unit() const {
    const unsigned least = by_twos ? min(lowest >> 16, lowest & 0xffffu) : lowest;
    return max(exponent_of(least + 1), 1) - Format::bias - Format::fraction + trailing_zeros();
  }

 private:
  __device__ __forceinline__ void include(unsigned key) {
    highest = max(highest, key);
    lowest = min(lowest, key - 1);
  }
  __device__ unsigned highest_key() const {
    return by_twos ? max(highest >> 16, highest & 0xffffu) : highest;
  }
  /// Zeros at the end of all significands.
  __device__ int trailing_zeros() const {
    if constexpr (sizeof(T) == 8)
      return bits != 0 ? __ffs(static_cast<int>(bits)) - 1
                       : 31 + __ffs(static_cast<int>(high_bits | 1u << 20));
    const unsigned all = by_twos ? bits | bits >> 16 : bits;
    return __ffs(static_cast<int>(all | 1u << Format::fraction % 32)) - 1;
  }
  static __device__ int exponent_of(unsigned key) { return static_cast<int>(key >> Format::below); }
};

}  // namespace foldline::cuda
