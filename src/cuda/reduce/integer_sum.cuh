// Sums of integers in integer arithmetic: 128 bits hold any sum of a launch, so nothing needs a window or
// spills.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/device/block.cuh"
#include "cuda/device/sources.cuh"
#include "cuda/exact/bin_terms.cuh"
#include "cuda/reduce/kernel_sums.cuh"

namespace foldline::cuda {

__device__ __forceinline__ int number_of(Boolean x) { return x.byte != 0 ? 1 : 0; }
template <class Integer>
__device__ __forceinline__ Integer number_of(Integer x) {
  return x;
}

/// The sum in one thread of fewer than 2^31 terms below 2^64.
template <class T, class Terms>
struct IntegerSum {
  static constexpr bool is_product = std::is_same_v<Terms, Squares> || std::is_same_v<Terms, Products>;
  static constexpr bool is_magnitude = std::is_same_v<Terms, Magnitudes>;
  static constexpr int bits = 8 * sizeof(T) * (is_product ? 2 : 1);    // of a term
  static constexpr int index = is_product ? 2 : is_magnitude ? 1 : 0;  // index of the sum; see KernelResult
  using Total = std::conditional_t<bits <= 32, std::int64_t, Int128>;

  Total total = 0;

  template <class Batch>
  __device__ __forceinline__ void add(const Batch& batch) {
    static_assert(Batch::size <= 64);
    std::conditional_t<bits <= 16, int, Total> of_batch = 0;
#pragma unroll
    for (int i = 0; i < Batch::size; ++i) of_batch += term(number_of(batch.x[i]), number_of(batch.second(i)));
    total += of_batch;
  }

 private:
  /// The shortest type that holds a term and is added by one instruction.
  template <class Number>
  using TermType =
      std::conditional_t<bits <= 16, int,
                         std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>>;
  template <class Number>
  static __device__ __forceinline__ auto term(Number x, Number y) {
    if constexpr (is_product)
      return static_cast<TermType<Number>>(x) * static_cast<TermType<Number>>(y);
    else if constexpr (!is_magnitude || std::is_unsigned_v<Number>)
      return static_cast<TermType<Number>>(x);
    else if constexpr (bits <= 32)
      return x < 0 ? -static_cast<TermType<Number>>(x) : static_cast<TermType<Number>>(x);
    else  // right for the lowest number, too
      return x < 0 ? -static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  }
};

/// The terms of a KernelSums with a single sum and no extrema, else void.
template <class Sums>
struct SingleSum {
  using Terms = void;
};
template <class Sum>
struct SingleSum<KernelSums<Sum, NoSum, NoSum, false>> {
  using Terms = typename Sum::Terms;
};
template <class Sum>
struct SingleSum<KernelSums<NoSum, Sum, NoSum, false>> {
  using Terms = typename Sum::Terms;
};
template <class Sum>
struct SingleSum<KernelSums<NoSum, NoSum, Sum, false>> {
  using Terms = typename Sum::Terms;
};

/// True if IntegerSum can compute all that a kernel needs.
template <class Source, class Sums>
inline constexpr bool is_integer_sum = false;
template <class T, int Loads, bool TwoVectors, int Threads, class Sums>
inline constexpr bool is_integer_sum<Contiguous<T, Loads, TwoVectors, Threads>, Sums> = [] {
  if constexpr (!std::is_integral_v<T> && !std::is_same_v<T, Boolean>)
    return false;
  else if constexpr (std::is_void_v<typename SingleSum<Sums>::Terms>)
    return false;
  else
    return IntegerSum<T, typename SingleSum<Sums>::Terms>::bits <= 64;
}();

/// The sum over the block, in its first warp. `scratch` has one value per warp; all threads call.
template <int Threads, class Number>
__device__ __forceinline__ Int128 block_sum(Number x, Int128 (&scratch)[Threads / 32]) {
  x = warp_sum(x);
  if (lane() == 0) scratch[warp()] = x;
  __syncthreads();
  return warp() != 0 ? 0 : warp_sum(lane() < Threads / 32 ? scratch[lane()] : Int128{0});
}

}  // namespace foldline::cuda
