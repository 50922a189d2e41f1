// Rounds a sum in limbs with one warp, each lane holding neighbouring words. (A single thread with
// arbitrary-precision arithmetic takes 1 to 4 us longer on an H200.)
#pragma once

#include "cuda/reduce/round_pieces.cuh"

namespace foldline::cuda {

/// The limbs as 32-bit digits in two's complement, `digits_of_lane` per lane; the highest lane holds the
/// sign.
inline constexpr int digits_of_lane = (word_count + 31) / 32;
struct LaneDigits {
  std::uint32_t digit[digits_of_lane];

  __device__ explicit LaneDigits(const Word* limb) {
    std::int64_t carry = 0;
#pragma unroll
    for (int j = 0; j < digits_of_lane; ++j) {
      const int i = digits_of_lane * lane() + j;
      digit[j] = i < word_count ? add(carry, static_cast<std::int64_t>(limb[i])) : add(carry, 0);
    }
    // A carry seldom passes more than one lane. The carry out of the last lane repeats the sign.
    while (true) {
      carry = __shfl_up_sync(all_lanes, carry, 1);
      if (lane() == 0) carry = 0;
      if (!__any_sync(all_lanes, carry != 0)) break;
#pragma unroll
      for (std::uint32_t& each : digit) each = add(carry, each);
    }
  }
  __device__ bool is_negative() const {
    return __shfl_sync(all_lanes, digit[digits_of_lane - 1], 31) >> 31 != 0;
  }
  /// Negates the number.
  __device__ void negate() {
    const unsigned not_zero = __ballot_sync(all_lanes, own_top() >= 0);
    std::int64_t carry =
        lane() < __ffs(static_cast<int>(not_zero)) ? 1 : 0;  // carries pass up to the lowest non-zero digit
#pragma unroll
    for (std::uint32_t& each : digit) each = add(carry, std::uint32_t{~each});
  }
  /// The index of the highest non-zero digit of all lanes, or -1.
  __device__ int top() const { return static_cast<int>(warp_max(static_cast<unsigned>(own_top() + 1))) - 1; }
  /// True if a digit below an index is not zero.
  __device__ bool any_below(int index) const {
    bool any = false;
#pragma unroll
    for (int j = 0; j < digits_of_lane; ++j) any |= digits_of_lane * lane() + j < index && digit[j] != 0;
    return __any_sync(all_lanes, any);
  }
  /// The digit at an index, of any lane; all lanes pass the same index.
  __device__ std::uint32_t at(int index) const {
    std::uint32_t own = 0;
#pragma unroll
    for (int j = 0; j < digits_of_lane; ++j)
      if (index % digits_of_lane == j) own = digit[j];
    return __shfl_sync(all_lanes, own, index / digits_of_lane);
  }

 private:
  static __device__ std::uint32_t add(std::int64_t& carry, std::int64_t number) {
    carry += number;
    const auto low = static_cast<std::uint32_t>(carry);
    carry >>= 32;
    return low;
  }
  /// The index of this lane's highest non-zero digit, or -1.
  __device__ int own_top() const {
    int highest = -1;
#pragma unroll
    for (int j = 0; j < digits_of_lane; ++j)
      if (digit[j] != 0) highest = digits_of_lane * lane() + j;
    return highest;
  }
};

/// Rounds and stores a sum that is completely in limbs; a warp calls. Returns false in lane 0 if the sum is
/// zero or round_leading declines it.
template <class Sums>
__device__ __noinline__ bool round_limbs(const Word* limb, const ResultTask& task) {
  LaneDigits digits(limb);
  const bool negative = digits.is_negative();
  if (negative) digits.negate();
  const int top = digits.top();
  if (top < 0) return false;
  constexpr int taken = 5;
  std::uint32_t highest[taken];
#pragma unroll
  for (int i = 0; i < taken; ++i) {
    const int index = top - (taken - 1) + i;
    const std::uint32_t digit = digits.at(max(index, 0));
    highest[i] = index < 0 ? 0 : digit;
  }
  LeadingWords magnitude = leading_words(highest, first_exponent + 32 * (top - (taken - 1)));
  magnitude.sticky |= digits.any_below(top - (taken - 1));
  return lane() == 0 && round_leading<Sums>(negative, magnitude, task);
}

}  // namespace foldline::cuda
