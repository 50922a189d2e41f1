// The elements of a tile, for scans whose results are floating-point numbers and whose data may be anything.
#pragma once

#include <type_traits>

#include "cuda/device/lane.cuh"
#include "cuda/scan/scan_carry.hpp"
#include "cuda/scan/scan_tiles.cuh"

namespace foldline::cuda {

/// What is known of a scan's elements when its kernel is compiled: that x and the results are aligned doubles
/// or floats, or that x holds floating-point numbers or integers of any kind.
enum class Elements : std::int8_t { float64, float32, floating, integers };

/// Whether running sums need a middle part: those of floats have bits to spare without.
template <Elements Kind>
inline constexpr bool has_middle = Kind != Elements::float32;

/// A thread takes an odd number of neighbours: then the words that the threads of a warp read at a time lie
/// in different banks of shared memory.
inline constexpr int tile_threads = 256, tile_warps = tile_threads / 32, tile_per_thread = 15;
inline constexpr int float_tile = tile_threads * tile_per_thread;
inline constexpr int warp_elements = 32 * tile_per_thread;
/// Sums over a tile need so many bits more than its elements.
inline constexpr int tile_count_bits = 12;
static_assert(float_tile <= 1 << tile_count_bits);

/// Of a tile without such elements.
inline constexpr int no_top = smallest_exponent, no_place = 5000;

/// Elements of so many bits are looked at more closely: exponents alone tell of numbers of few digits, of
/// whole numbers say, among larger ones, less than is true.
inline constexpr int usual_tile_bits = 100;

/// The last places that a thread's numbers have, and then a warp's.
class LowestPlace {
 public:
  __device__ __forceinline__ void look_at(const Decomposed& x) {
    if (x.significand != 0) place_ = min(place_, last_place(x));
  }
  /// `no_place` if all are zeros.
  __device__ __forceinline__ int of_warp() const {
    return no_place - static_cast<int>(warp_max(static_cast<unsigned>(no_place - place_)));
  }

 private:
  int place_ = no_place;
};

/// An element as 64 bits: a floating-point number's are those of the double, an integer's its own.
template <Elements Kind>
struct TileWords {
  const AnyVector& x;

  __device__ __forceinline__ const std::byte* address_of(std::int64_t i) const {
    const std::byte* const address = x.first + i * x.step;
    __builtin_assume(__isGlobal(address));  // else each load asks whether it is of shared memory
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
  /// Gives what changes no sum, not even that of -0 and -0.
  static __device__ __forceinline__ void take_nothing(std::uint64_t& word) {
    word = Kind == Elements::integers ? 0 : sign_bit;
  }
  static __device__ __forceinline__ void take_nothing(float& x) { x = -0.0f; }
  /// Elements `first`, `first` + step, ...; in place of those from number `count` on, nothing, and of the
  /// first if it is left out.
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
  /// Asks for `elements` contiguous elements from number `first` on, 128 bytes by each of some threads.
  __device__ __forceinline__ void ask_for(std::int64_t first, int elements, int thread,
                                          std::int64_t count) const {
    const int place = thread * (128 / x.element_bytes);
    const std::int64_t i = first + place;
    if (x.step == x.element_bytes && place < elements && i < count)
      asm volatile("prefetch.global.L2 [%0];" ::"l"(address_of(i)));
  }
  /// Of a finite one.
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

/// An element, and then a result, as shared memory holds it: a float, or else a word.
template <Elements Kind>
using Held = std::conditional_t<Kind == Elements::float32, float, std::uint64_t>;
__device__ __forceinline__ double number_in(std::uint64_t word) { return from_bits(word); }
__device__ __forceinline__ double number_in(float x) { return x; }
template <Elements Kind>
__device__ __forceinline__ Held<Kind> held_result(double result) {
  if constexpr (Kind == Elements::float32)
    return __uint_as_float(static_cast<unsigned>(encode(result, ElementType::float32)));
  else
    return bits_of(result);
}

/// How many elements there are of each kind that a carry counts, 16 bits each, in the order of its rows.
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
