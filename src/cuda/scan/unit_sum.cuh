// Sums of blocks each of which chooses its own unit, a power of 2^64.
//
// The constants. There are at most 2^24 elements, so sums of elements below 2^top are below 2^(top + 24). A
// status holds 186 bits including the sign, so it holds such a sum if top + 24 <= unit + 185.
//
// The unit is the multiple of 64 in (top - 141, top - 77], or a lower one if elements have lower bits, which
// is tested. So a unit covers at least 77 binades below top and 20 above: blocks whose tops differ by no more
// have the same unit or neighbouring ones.
//
// A sum of sums in the same unit is below 2^(unit + 185); in neighbouring units it is below 2^(lower unit +
// 64 + 185), which 256 bits hold. A scan starts from 189 bits of it and a block's own sum, for which the same
// is required: together they fit in 192 bits.
#pragma once

#include "cuda/scan/tile_status.cuh"

namespace foldline::cuda {

/// log2 of the most elements of all blocks together.
inline constexpr int max_count_bits = 24;

/// The unit, as an exponent of two, for elements below 2^top that are multiples of 2^lowest_bit. It leaves
/// room either way, for other blocks' larger or smaller elements.
__device__ __forceinline__ int unit_for(int top, int lowest_bit) {
  const auto floor = [](int exponent) { return exponent & ~63; };
  return min(floor(top - 140 + 63), floor(lowest_bit));
}
/// True if a status can hold sums of such elements: it has 186 bits for them.
__device__ __forceinline__ bool status_holds(int top, int unit) { return top + max_count_bits <= unit + 185; }

/// In a status, the unit is in the highest bits.
__device__ __forceinline__ Int192 pack_unit(const Int192& sum, int unit) {
  return {sum.word[0], sum.word[1],
          (sum.word[2] & (~std::uint64_t{0} >> 6)) | static_cast<std::uint64_t>(unit >> 6) << 58};
}
__device__ __forceinline__ int unpack_unit(const Int192& packed) {
  return static_cast<int>(static_cast<std::int64_t>(packed.word[2]) >> 58) * 64;
}
__device__ __forceinline__ Int192 unpack_sum(const Int192& packed) {
  return {packed.word[0], packed.word[1],
          static_cast<std::uint64_t>(static_cast<std::int64_t>(packed.word[2] << 6) >> 6)};
}

__device__ __forceinline__ bool is_zero(const Int192& a) { return (a.word[0] | a.word[1] | a.word[2]) == 0; }

#if __CUDA_ARCH__ >= 900

/// A sum of numbers whose units are equal or neighbouring; 256 bits.
struct UnitSum {
  std::uint64_t word[4];
  int unit;
  bool is_lost;  // units were too far apart

  static __device__ UnitSum of(const Int192& sum, int unit) {
    const std::uint64_t sign = sum.is_negative() ? ~std::uint64_t{0} : 0;
    return {{sum.word[0], sum.word[1], sum.word[2], sign}, unit, false};
  }
  __device__ bool is_zero() const { return (word[0] | word[1] | word[2] | word[3]) == 0; }

  /// Changes the unit to the next lower one, or sets `is_lost`.
  __device__ void lower_to(int lower) {
    const auto sign = static_cast<std::uint64_t>(static_cast<std::int64_t>(word[2]) >> 63);
    if (unit - lower != 64 || word[3] != sign) is_lost = true;
    word[3] = word[2], word[2] = word[1], word[1] = word[0], word[0] = 0;
    unit = lower;
  }
  __device__ void add(UnitSum other) {
    is_lost |= other.is_lost;
    if (other.is_zero()) return;
    if (is_zero()) unit = other.unit;
    if (other.unit > unit) other.lower_to(unit);
    if (unit > other.unit) lower_to(other.unit);
    is_lost |= other.is_lost;
    asm("add.cc.u64 %0, %0, %4;\n\taddc.cc.u64 %1, %1, %5;\n\taddc.cc.u64 %2, %2, %6;\n\taddc.u64 %3, %3, %7;"
        : "+l"(word[0]), "+l"(word[1]), "+l"(word[2]), "+l"(word[3])
        : "l"(other.word[0]), "l"(other.word[1]), "l"(other.word[2]), "l"(other.word[3]));
  }
  /// The same in all lanes.
  __device__ UnitSum warp_total() const {
    UnitSum sum = *this;
    for (int distance = 16; distance > 0; distance /= 2) {
      UnitSum other;
      for (int i = 0; i < 4; ++i) other.word[i] = __shfl_xor_sync(all_lanes, sum.word[i], distance);
      other.unit = __shfl_xor_sync(all_lanes, sum.unit, distance);
      other.is_lost = __shfl_xor_sync(all_lanes, sum.is_lost, distance) != 0;
      sum.add(other);
    }
    return sum;
  }
  /// Returns true if 189 bits hold the sum, in its unit or the next higher one, to which the unit is then
  /// changed.
  __device__ bool to_int192(Int192& sum) {
    const auto fits = [](std::uint64_t highest, std::uint64_t above) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(highest) >> 61) == above;
    };
    sum = {word[0], word[1], word[2]};
    if (is_lost || fits(word[2], word[3])) return !is_lost;
    sum = {word[1], word[2], word[3]};
    unit += 64;
    const auto sign = static_cast<std::uint64_t>(static_cast<std::int64_t>(word[3]) >> 63);
    return word[0] == 0 && fits(word[3], sign);
  }
};

struct SumInUnits {
  Int192 sum;
  int unit;
  bool is_known;
};
/// By a warp: the sum of the first `count` statuses, which must be published; a zero sum gets the unit
/// passed.
__device__ __noinline__ inline SumInUnits add_units(const TileStatus* status, int count, int unit) {
  UnitSum part = UnitSum::of({}, unit);
  for (int t = lane(); t < count; t += 32) {
    StatusRead read;
    read.load(status[t]);
    const Int192 packed = read.words();
    part.add(UnitSum::of(unpack_sum(packed), unpack_unit(packed)));
  }
  __syncwarp();
  part = part.warp_total();
  if (part.is_zero()) return {{}, unit, true};
  SumInUnits sum;
  sum.is_known = part.to_int192(sum.sum);
  sum.unit = part.unit;
  return sum;
}

#endif

}  // namespace foldline::cuda
