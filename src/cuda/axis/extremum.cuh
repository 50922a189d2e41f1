// The smallest or the largest of a vector's elements, or both; NaN if there is one. +0 is larger than -0.
#pragma once

#include <cstdint>
#include <cstring>

#include "contract/order_key.hpp"
#include "cuda/axis/bounded_result.cuh"
#include "cuda/device/elements.cuh"
#include "cuda/exact/key_range.cuh"

namespace foldline::cuda {

/// Bits of an element.
template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 8, std::uint64_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                          std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

template <class T>
__device__ __forceinline__ double number_of(BitsOf<T> bits) {
  T x;
  std::memcpy(&x, &bits, sizeof x);
  return widen(x);
}

/// The extremum of two elements of 4 bytes, or of two pairs of 2 bytes.
template <class T, bool Highest>
__device__ __forceinline__ unsigned extremum_of(unsigned a, unsigned b) {
  unsigned result;
#if __CUDA_ARCH__ >= 800
  if constexpr (std::is_same_v<T, float>) {
    if constexpr (Highest)
      asm("max.NaN.f32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else
      asm("min.NaN.f32 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else if constexpr (std::is_same_v<T, Half>) {
    if constexpr (Highest)
      asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else
      asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    if constexpr (Highest)
      asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else
      asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
#else
  const auto of = [](BitsOf<T> x, BitsOf<T> y) {
    const double p = number_of<T>(x), q = number_of<T>(y);
    if (p != p || q != q) return p != p ? x : y;
    return (order_key(p) > order_key(q)) == Highest ? x : y;
  };
  if constexpr (sizeof(T) == 4)
    result = of(a, b);
  else
    result = of(static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(b)) |
             static_cast<unsigned>(of(a >> 16, b >> 16)) << 16;
#endif
  return result;
}

/// Extrema, not sums, though where kernels take either they say Sums.
template <class Sums>
concept ExtremaSums = Sums::is_extrema;

template <class T, bool Highest>
struct Extremum {
  using Element = T;
  static constexpr bool takes_first = true, can_try_again = false, is_extrema = true;
  unsigned word;
  bool is_empty = true;

  __device__ __forceinline__ void include(unsigned other) {
    word = is_empty ? other : extremum_of<T, Highest>(word, other);
    is_empty = false;
  }
  __device__ __forceinline__ void add(const uint4& words) {
    include(extremum_of<T, Highest>(extremum_of<T, Highest>(words.x, words.y),
                                    extremum_of<T, Highest>(words.z, words.w)));
  }
  __device__ __forceinline__ void add_one(BitsOf<T> bits) {
    include(sizeof(T) == 4 ? bits : bits * 0x00010001u);
  }
  __device__ __forceinline__ void merge(const Extremum& other) {
    if (!other.is_empty) include(other.word);
  }
  __device__ __forceinline__ void merge_lane(int distance) {
    Extremum other;
    other.word = __shfl_xor_sync(0xffffffffu, word, distance);
    other.is_empty = __shfl_xor_sync(0xffffffffu, is_empty, distance);
    merge(other);
  }
  __device__ __forceinline__ double value() const {
    if constexpr (sizeof(T) == 4)
      return number_of<T>(word);
    else
      return number_of<T>(static_cast<std::uint16_t>(extremum_of<T, Highest>(word, word >> 16)));
  }
  __device__ __forceinline__ bool is_nan() const { return value() != value(); }
};

/// Doubles are compared by their order keys; NaN is found by the magnitudes.
template <bool Highest>
struct Extremum<double, Highest> {
  using Element = double;
  static constexpr bool takes_first = true, can_try_again = false, is_extrema = true;
  std::int64_t key = Highest ? INT64_MIN : INT64_MAX;
  KeyRange<double> magnitudes;

  __device__ __forceinline__ void include(std::int64_t other) {
    key = (other > key) == Highest ? other : key;
  }
  __device__ __forceinline__ void add(const uint4& words) {
    add_one(static_cast<std::uint64_t>(words.y) << 32 | words.x);
    add_one(static_cast<std::uint64_t>(words.w) << 32 | words.z);
  }
  __device__ __forceinline__ void add_one(std::uint64_t bits) {
    magnitudes.observe_word(static_cast<unsigned>(bits), static_cast<unsigned>(bits >> 32));
    include(order_key(from_bits(bits)));
  }
  __device__ __forceinline__ void merge(const Extremum& other) {
    magnitudes.highest = max(magnitudes.highest, other.magnitudes.highest);
    include(other.key);
  }
  __device__ __forceinline__ void merge_lane(int distance) {
    Extremum other;
    other.key = __shfl_xor_sync(0xffffffffu, key, distance);
    other.magnitudes.highest = __shfl_xor_sync(0xffffffffu, magnitudes.highest, distance);
    merge(other);
  }
  __device__ __forceinline__ double value() const { return from_order_key(key); }
  __device__ __forceinline__ bool is_nan() const { return magnitudes.has_nan(); }
};

template <class T, bool Highest>
__device__ __forceinline__ bool bounded_result(const Extremum<T, Highest>& extremum, const BoundedTask& task,
                                               std::uint64_t& bits) {
  bits = extremum.is_nan() ? task.nan : narrowed(extremum.value(), task.type);
  return true;
}

/// The largest and the smallest element, for their difference.
template <class T>
struct BothExtrema {
  using Element = T;
  static constexpr bool takes_first = true, can_try_again = false, is_extrema = true;
  Extremum<T, true> highest;
  Extremum<T, false> lowest;

  __device__ __forceinline__ void add(const uint4& words) {
    highest.add(words);
    lowest.add(words);
  }
  __device__ __forceinline__ void add_one(BitsOf<T> bits) {
    highest.add_one(bits);
    lowest.add_one(bits);
  }
  __device__ __forceinline__ void merge(const BothExtrema& other) {
    highest.merge(other.highest);
    lowest.merge(other.lowest);
  }
  __device__ __forceinline__ void merge_lane(int distance) {
    highest.merge_lane(distance);
    lowest.merge_lane(distance);
  }
};

template <class T>
__device__ __forceinline__ bool bounded_result(const BothExtrema<T>& extrema, const BoundedTask& task,
                                               std::uint64_t& bits) {
  const SumAndError<double> range = TwoSum(extrema.highest.value(), -extrema.lowest.value());
  if (extrema.highest.is_nan() || range.sum != range.sum)  // of NaN, or of one infinity
    bits = task.nan;
  else if (task.type == ElementType::float64 || bits_of(range.sum) == infinity_bits)
    bits = narrowed(range.sum, task.type);
  else
    bits = narrowed(rounded_to_odd(range), task.type);
  return true;
}

}  // namespace foldline::cuda
