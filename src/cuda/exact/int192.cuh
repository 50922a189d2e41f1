// More operations on 192-bit integers: sums that the tiles of a scan exchange.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"
#include "arithmetic/int192.hpp"
#include "cuda/device/block.cuh"

namespace foldline::cuda {

using foldline::int192_of;

/// a * 2^shift; 0 <= shift < 192.
__device__ __forceinline__ Int192 shift_left(std::uint64_t a, int shift) {
  const int bits = shift & 63;
  const std::uint64_t low = a << bits, high = bits == 0 ? 0 : a >> (64 - bits);
  return {shift < 64 ? low : 0,
          shift < 64    ? high
          : shift < 128 ? low
                        : 0,
          shift < 64    ? 0
          : shift < 128 ? high
                        : low};
}

/// floor(a / 2^shift) modulo 2^64; 0 <= shift < 192.
__device__ __forceinline__ std::uint64_t shift_right(const Int192& a, int shift) {
  const int bits = shift & 63;
  const auto sign = static_cast<std::uint64_t>(static_cast<std::int64_t>(a.word[2]) >> 63);
  const std::uint64_t low = shift < 64 ? a.word[0] : shift < 128 ? a.word[1] : a.word[2];
  const std::uint64_t high = shift < 64 ? a.word[1] : shift < 128 ? a.word[2] : sign;
  return bits == 0 ? low : low >> bits | high << (64 - bits);
}

/// True if a is a multiple of 2^bits; 0 <= bits < 192.
__device__ __forceinline__ bool is_multiple(const Int192& a, int bits) {
  const Int192 below = shift_left(1, bits) - Int192{1, 0, 0};
  return ((a.word[0] & below.word[0]) | (a.word[1] & below.word[1]) | (a.word[2] & below.word[2])) == 0;
}

/// a * b modulo 2^192.
__device__ __forceinline__ Int192 product(const Int192& a, unsigned b) {
  const Uint128 low = Uint128{a.word[0]} * b, middle = Uint128{a.word[1]} * b + (low >> 64);
  return {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(middle),
          a.word[2] * b + static_cast<std::uint64_t>(middle >> 64)};
}
/// a^2, for a below 2^96.
__device__ __forceinline__ Int192 square(Uint128 a) {
  const auto low = static_cast<std::uint64_t>(a), high = static_cast<std::uint64_t>(a >> 64);
  const Uint128 twice = 2 * Uint128{high} * low;
  return int192_of(Uint128{low} * low) +
         Int192{0, static_cast<std::uint64_t>(twice), static_cast<std::uint64_t>(twice >> 64) + high * high};
}

/// x / 2^unit for a finite multiple x of 2^unit that fits.
__device__ __forceinline__ Int192 int192_of(double x, int unit) {
  const Decomposed parts = decompose(x);
  const int shift = parts.exponent - unit;
  const Int192 magnitude = shift >= 0 ? shift_left(parts.significand, min(shift, 191))
                                      : Int192{parts.significand >> min(-shift, 63), 0, 0};
  return parts.negative ? Int192{} - magnitude : magnitude;
}

/// The smallest n with |a| <= 2^n.
__device__ __forceinline__ int bit_length(const Int192& a) {
  const std::uint64_t sign = a.is_negative() ? ~std::uint64_t{0} : 0;
  const std::uint64_t high = a.word[2] ^ sign, middle = a.word[1] ^ sign, low = a.word[0] ^ sign;
  if (high != 0) return 192 - leading_zeros(high);
  if (middle != 0) return 128 - leading_zeros(middle);
  return low != 0 ? 64 - leading_zeros(low) : 0;
}

/// a * 2^unit as a T, rounded once; zero gives +0. The result must not be below T's normal numbers unless it
/// is exact there. Rounding the leading 64 bits, with a sticky last bit, equals rounding all bits.
template <class T>
__device__ __forceinline__ T rounded(const Int192& a, int unit) {
  const bool negative = a.is_negative();
  const Int192 magnitude = negative ? Int192{} - a : a;
  std::uint64_t top = magnitude.word[2], middle = magnitude.word[1], low = magnitude.word[0];
  int exponent = unit + 128;
#pragma unroll
  for (int i = 0; i < 2; ++i)
    if (top == 0) top = middle, middle = low, low = 0, exponent -= 64;
  if (top == 0) return T(0);
  const int zeros = leading_zeros(top);
  const std::uint64_t below = middle << zeros | low;
  const std::uint64_t leading = top << zeros | middle >> 1 >> (63 - zeros) | (below != 0 ? 1 : 0);
  const double scale = power_of_two(exponent - zeros);
  const double sign = negative ? -scale : scale;
  if constexpr (sizeof(T) == 8)
    return __dmul_rn(__ull2double_rn(leading), sign);
  else
    return __double2float_rn(__dmul_rn(static_cast<double>(__ull2float_rn(leading)), sign));
}

__device__ __forceinline__ Int192 shuffle_up(const Int192& a, int distance) {
  return {__shfl_up_sync(all_lanes, a.word[0], distance), __shfl_up_sync(all_lanes, a.word[1], distance),
          __shfl_up_sync(all_lanes, a.word[2], distance)};
}

/// The inclusive prefix sum over the first `lanes` lanes.
__device__ __forceinline__ Int192 inclusive_warp_scan(Int192 a, int lanes) {
  for (int distance = 1; distance < lanes; distance *= 2) {
    const Int192 below = shuffle_up(a, distance);
    if (lane() >= distance) a = a + below;
  }
  return a;
}

__device__ __forceinline__ Int192 warp_sum(Int192 a) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    a = a + Int192{__shfl_xor_sync(all_lanes, a.word[0], distance),
                   __shfl_xor_sync(all_lanes, a.word[1], distance),
                   __shfl_xor_sync(all_lanes, a.word[2], distance)};
  return a;
}

}  // namespace foldline::cuda
