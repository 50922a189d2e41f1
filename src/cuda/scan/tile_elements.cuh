// The elements of a tile, in two-pass scans with floating-point results.
#pragma once

#include <type_traits>

#include "cuda/device/lane.cuh"
#include "cuda/finish/encoded.cuh"
#include "cuda/scan/scan_job.cuh"

namespace foldline::cuda {

/// What is known of a scan's elements at compile time: x and the results are aligned doubles or floats, or x
/// has floating-point numbers or integers of any type.
enum class Elements : std::int8_t { float64, float32, floating, integers };

/// True if running sums need a middle part; sums of floats have bits to spare.
template <Elements Kind>
inline constexpr bool has_middle = Kind != Elements::float32;

/// A thread takes an odd number of neighbouring elements, so that the words that a warp reads at a time are
/// in different banks.
inline constexpr int tile_threads = 256, tile_warps = tile_threads / 32, tile_per_thread = 15;
inline constexpr int float_tile = tile_threads * tile_per_thread;
inline constexpr int warp_elements = 32 * tile_per_thread;
/// Sums over a tile need this many more bits than its elements.
inline constexpr int tile_count_bits = 12;
static_assert(float_tile <= 1 << tile_count_bits);

/// The extent of a tile without non-zero elements.
inline constexpr int no_top = smallest_exponent, no_lowest_bit = 5000;

/// If the exponents span more bits than this, the lowest bit is computed from the significands: for numbers
/// with few significant bits, such as integers, exponents alone underestimate it.
inline constexpr int max_tile_exponent_span = 100;

/// The lowest bit of a thread's numbers, then of a warp's.
class LowestBit {
 public:
  __device__ __forceinline__ void observe(const Decomposed& x) {
    if (x.significand != 0) lowest_ = min(lowest_, last_place(x));
  }
  /// `no_lowest_bit` if all are zero.
  __device__ __forceinline__ int of_warp() const {
    return no_lowest_bit - static_cast<int>(warp_max(static_cast<unsigned>(no_lowest_bit - lowest_)));
  }

 private:
  int lowest_ = no_lowest_bit;
};

/// Reads elements as 64-bit words: the bits of a double for floating-point types, else the integer.
template <Elements Kind>
struct TileWords {
  const AnyVector& x;

  __device__ __forceinline__ const std::byte* address_of(std::int64_t i) const {
    const std::byte* const address = x.first + i * x.step;
    __builtin_assume(__isGlobal(address));  // otherwise each load would test for other address spaces
    return address;
  }
  __device__ __forceinline__ std::uint64_t at(const std::byte* address) const {
    if constexpr (Kind == Elements::float64)
      return *reinterpret_cast<const std::uint64_t*>(address);
    else if constexpr (Kind == Elements::float32)
      return bits_of(static_cast<double>(*reinterpret_cast<const float*>(address)));
    else if constexpr (Kind == Elements::floating)
      return bits_of(x.floating_at(address));
    else
      return static_cast<std::uint64_t>(x.integer_at(address));
  }
  __device__ __forceinline__ std::uint64_t at(std::int64_t i) const { return at(address_of(i)); }
  __device__ __forceinline__ void take(const std::byte* address, std::uint64_t& word) const {
    word = at(address);
  }
  __device__ __forceinline__ void take(const std::byte* address, float& x) const {
    static_assert(Kind == Elements::float32);
    x = *reinterpret_cast<const float*>(address);
  }
  /// Sets the neutral element, which changes no sum, not even that of -0 and -0.
  static __device__ __forceinline__ void take_nothing(std::uint64_t& word) {
    word = Kind == Elements::integers ? 0 : sign_bit;
  }
  static __device__ __forceinline__ void take_nothing(float& x) { x = -0.0f; }
  /// Reads elements first, first + step, ...; neutral for those from `count` on, and for the first if it is
  /// left out.
  template <class Word>
  __device__ __forceinline__ void take(std::int64_t first, int step, std::int64_t count, bool leave_out_first,
                                       Word (&words)[tile_per_thread]) const {
    const std::byte* address = address_of(first);
    const std::int64_t bytes = step * x.step;
    if (leave_out_first || first >= count)
      take_nothing(words[0]);
    else
      take(address, words[0]);
    if (first + std::int64_t{step} * (tile_per_thread - 1) < count) {
#pragma unroll
      for (int k = 1; k < tile_per_thread; ++k) take(address += bytes, words[k]);
    } else {
#pragma unroll
      for (int k = 1; k < tile_per_thread; ++k) {
        address += bytes;
        if (first + std::int64_t{step} * k < count)
          take(address, words[k]);
        else
          take_nothing(words[k]);
      }
    }
  }
  /// Prefetches `elements` contiguous elements from number `first` on, 128 bytes per thread.
  __device__ __forceinline__ void prefetch(std::int64_t first, int elements, int thread,
                                           std::int64_t count) const {
    const int offset = thread * (128 / x.element_bytes);
    const std::int64_t i = first + offset;
    if (x.step == x.element_bytes && offset < elements && i < count)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(address_of(i)));
  }
  /// Decomposes a finite element.
  __device__ __forceinline__ Decomposed decomposed(std::uint64_t word) const {
    if constexpr (Kind != Elements::integers) return decompose(from_bits(word));
    const bool negative = x.has_sign && (word & sign_bit) != 0;
    return {negative, negative ? ~word + 1 : word, 0};
  }
};

__device__ __forceinline__ bool is_finite(std::uint64_t word) {
  return (word & infinity_bits) != infinity_bits;
}
__device__ __forceinline__ bool is_finite(float x) { return fabsf(x) <= 0x1.fffffep127f; }

/// The type of an element, and then of its result, in shared memory: float, else a 64-bit word.
template <Elements Kind>
using Staged = std::conditional_t<Kind == Elements::float32, float, std::uint64_t>;
__device__ __forceinline__ double number_in(std::uint64_t word) { return from_bits(word); }
__device__ __forceinline__ double number_in(float x) { return x; }
template <Elements Kind>
__device__ __forceinline__ Staged<Kind> staged_result(double result) {
  if constexpr (Kind == Elements::float32)
    return __uint_as_float(static_cast<unsigned>(encoded(result, ElementType::float32)));
  else
    return bits_of(result);
}

/// Counts of NaN, +inf, -inf and elements other than -0, 16 bits each, in the order of the carry's rows.
template <Elements Kind>
__device__ __forceinline__ std::uint64_t counts_of(std::uint64_t word) {
  constexpr std::uint64_t one_other = std::uint64_t{1} << 48;
  if (Kind == Elements::integers) return one_other;
  if (is_finite(word)) return word != sign_bit ? one_other : 0;
  const int shift = (word & ~sign_bit) != infinity_bits ? 0 : word == infinity_bits ? 16 : 32;
  return one_other + (std::uint64_t{1} << shift);
}
static_assert(other_than_negative_zero_row == nan_row + 3);
__device__ __forceinline__ unsigned count_in(std::uint64_t counts, int row) {
  return static_cast<unsigned>(counts >> (16 * (row - nan_row))) & 0xffffu;
}

}  // namespace foldline::cuda
