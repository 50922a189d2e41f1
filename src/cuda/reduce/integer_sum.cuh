// Sums of integers in integer arithmetic: numbers of 128 bits hold any sum of a launch, so nothing needs a
// window or spills.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuda/device/block.cuh"
#include "cuda/device/elements.cuh"
#include "cuda/exact/bin_terms.cuh"
#include "cuda/reduce/kernel_sums.cuh"

namespace foldline::cuda {

__device__ __forceinline__ int number_of(Boolean x) { return x.byte != 0 ? 1 : 0; }
template <class Integer>
__device__ __forceinline__ Integer number_of(Integer x) {
  return x;
}

/// The high half of a product of 128 bits.
__device__ __forceinline__ std::int64_t high_product(std::int64_t x, std::int64_t y) {
  return __mul64hi(x, y);
}
__device__ __forceinline__ std::uint64_t high_product(std::uint64_t x, std::uint64_t y) {
  return __umul64hi(x, y);
}

/// The sum in one thread of fewer than 2^31 terms.
template <class T, class Terms>
struct IntegerSum {
  static constexpr bool is_product = std::is_same_v<Terms, Squares> || std::is_same_v<Terms, Products>;
  static constexpr bool is_magnitude = std::is_same_v<Terms, Magnitudes>;
  static constexpr int bits = 8 * sizeof(T) * (is_product ? 2 : 1);  // of a term
  static constexpr int levels = 1, levels_published = 1;             // see KernelSums
  /// Two for terms of 128 bits: the sums of their low and of their high halves.
  static constexpr int numbers = bits <= 64 ? 1 : 2;
  using Number = std::conditional_t<bits <= 32, std::int64_t, Int128>;

  Number number[numbers] = {};

  template <class Batch>
  __device__ __forceinline__ void add(const Batch& batch) {
    static_assert(Batch::size <= 64);
    if constexpr (numbers == 1) {
      std::conditional_t<bits <= 16, int, Number> of_batch = 0;
#pragma unroll
      for (int i = 0; i < Batch::size; ++i)
        of_batch += term(number_of(batch.x[i]), number_of(batch.second(i)));
      number[0] += of_batch;
    } else {
#pragma unroll
      for (int i = 0; i < Batch::size; ++i) {
        number[0] += static_cast<std::uint64_t>(batch.x[i]) * static_cast<std::uint64_t>(batch.second(i));
        number[1] += high_product(batch.x[i], batch.second(i));
      }
    }
  }

 private:
  /// The shortest type that holds a term and is added by one instruction.
  template <class Element>
  using TermType =
      std::conditional_t<bits <= 16, int,
                         std::conditional_t<std::is_signed_v<Element>, std::int64_t, std::uint64_t>>;
  template <class Element>
  static __device__ __forceinline__ auto term(Element x, Element y) {
    if constexpr (is_product)
      return static_cast<TermType<Element>>(x) * static_cast<TermType<Element>>(y);
    else if constexpr (std::is_same_v<Terms, Weights>)
      return static_cast<TermType<Element>>(y);
    else if constexpr (!is_magnitude || std::is_unsigned_v<Element>)
      return static_cast<TermType<Element>>(x);
    else if constexpr (bits <= 32)
      return x < 0 ? -static_cast<TermType<Element>>(x) : static_cast<TermType<Element>>(x);
    else  // right for the lowest number, too
      return x < 0 ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  }
};

/// The numbers of a sum, and of all sums of a kernel.
template <class Sum>
inline constexpr int numbers_of_sum = 0;
template <class T, class Terms>
inline constexpr int numbers_of_sum<IntegerSum<T, Terms>> = IntegerSum<T, Terms>::numbers;
template <class Sums>
inline constexpr int numbers_of =
    numbers_of_sum<decltype(Sums::values)> + numbers_of_sum<decltype(Sums::magnitudes)> +
    numbers_of_sum<decltype(Sums::products)>;

/// The sum of a kernel that has one.
template <class Sums>
using OnlySum = std::conditional_t<
    Sums::first_index == 0, decltype(Sums::values),
    std::conditional_t<Sums::first_index == 1, decltype(Sums::magnitudes), decltype(Sums::products)>>;

/// The sum over the block, in its first warp. `scratch` has one value per warp; all threads call.
template <int Threads, class Number>
__device__ __forceinline__ Int128 block_sum(Number x, Int128 (&scratch)[Threads / 32]) {
  x = warp_sum(x);
  if (lane() == 0) scratch[warp()] = x;
  __syncthreads();
  return warp() != 0 ? 0 : warp_sum(lane() < Threads / 32 ? scratch[lane()] : Int128{0});
}

/// The extrema of one thread's elements.
template <class T>
struct IntegerExtrema {
  using Number = std::conditional_t<std::is_same_v<T, Boolean>, int, T>;
  Number lowest = std::numeric_limits<Number>::max(), highest = std::numeric_limits<Number>::lowest();

  __device__ __forceinline__ void add(T element) {
    const Number x = number_of(element);
    lowest = x < lowest ? x : lowest;
    highest = x > highest ? x : highest;
  }
};

}  // namespace foldline::cuda
