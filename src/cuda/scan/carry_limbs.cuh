// The limbs of a scan's carry, in kernels.
#pragma once

#include "cuda/exact/int192.cuh"
#include "cuda/scan/scan_carry.hpp"

namespace foldline::cuda {

/// Normalised limbs as one number; a warp calls.
struct CarryDigits {
  const std::int64_t* row;

  __device__ std::uint32_t sign() const { return row[limb_rows - 1] < 0 ? 0xffffffffu : 0; }
  __device__ std::uint32_t digit(int i) const {
    return i < limb_rows ? static_cast<std::uint32_t>(row[i]) : sign();
  }
  /// |number| <= 2^bound(); at most 32 too large.
  __device__ int bound() const {
    unsigned digits = 0;
    for (int i = lane(); i < limb_rows; i += 32)
      if (digit(i) != sign()) digits = static_cast<unsigned>(i + 1);
    return SumLimbs::first_exponent + 32 * static_cast<int>(warp_max(digits));
  }
  __device__ bool is_multiple_of(int exponent) const {
    const int offset = exponent - SumLimbs::first_exponent;
    std::uint32_t below = digit(offset / 32) & ((1u << (offset % 32)) - 1);
    for (int i = lane(); i < offset / 32; i += 32) below |= digit(i);
    return !__any_sync(all_lanes, below != 0);
  }
  /// floor(number / 2^exponent) modulo 2^64.
  __device__ std::uint64_t floor_of_quotient(int exponent) const {
    const int offset = exponent - SumLimbs::first_exponent, i = offset / 32, shift = offset % 32;
    const std::uint64_t low = digit(i) | std::uint64_t{digit(i + 1)} << 32;
    return shift == 0 ? low : low >> shift | std::uint64_t{digit(i + 2)} << (64 - shift);
  }
};

/// Propagates carries, with one thread, so that every limb but the highest is in [0, 2^32).
__device__ inline void normalise(std::int64_t* row) {
  std::int64_t above = 0;
#pragma unroll 8
  for (int i = 0; i < limb_rows - 1; ++i) {
    const std::int64_t sum = row[i] + above;
    row[i] = sum & 0xffffffff;
    above = sum >> 32;
  }
  row[limb_rows - 1] += above;
}
/// The same for a warp. Afterwards the words have room for more sums.
__device__ inline void normalise(ScanCarry& carry) {
  if (lane() == 0) normalise(carry.row);
  __syncwarp();
}

/// Sets the limbs to sum * 2^unit; by a warp.
__device__ inline void set_limbs(ScanCarry& carry, const Int192& sum, int unit) {
  for (int i = lane(); i < limb_rows; i += 32) {
    const int bit = SumLimbs::first_exponent + 32 * i - unit;  // index in `sum` of the limb's lowest bit
    std::uint64_t bits = 0;
    if (bit >= 192)
      bits = sum.is_negative() ? ~std::uint64_t{0} : 0;
    else if (bit >= 0)
      bits = shift_right(sum, bit);
    else if (bit > -32)
      bits = sum.word[0] << -bit;
    // The sign is in the highest limb.
    carry.row[i] =
        i + 1 < limb_rows ? static_cast<std::int64_t>(bits & 0xffffffff) : static_cast<std::int32_t>(bits);
  }
}

}  // namespace foldline::cuda
