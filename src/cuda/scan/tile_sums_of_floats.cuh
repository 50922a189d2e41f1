// Exact sums of tiles of floats, in rows of limbs: a thread sums its elements in buckets (buckets.cuh),
// whatever their exponents.
#pragma once

#include "cuda/exact/float_terms.cuh"
#include "cuda/scan/tile_sums.cuh"

namespace foldline::cuda {

using TileTerms = FloatTerms<First>;
static_assert(float_tile / 32 <= TileTerms::Buckets::max_terms);

template <>
struct TileSumScratch<Elements::float32> {
  Word row[scan_rows];
  double bucket[TileTerms::Buckets::count * 32];
};

/// The extent of the floats that a thread has observed.
class FloatExtent {
 public:
  __device__ __forceinline__ void observe(float x) {
    const unsigned bits = __float_as_uint(x);
    largest_ = fmaxf(largest_, fabsf(x));
    least_ = min(least_, 2 * bits - 1);
    other_ |= bits ^ 0x80000000u;
    digits_ |= bits;
  }
  /// Over all elements of a warp.
  __device__ __forceinline__ bool has_other_than_negative_zero() const {
    return __any_sync(all_lanes, other_ != 0) != 0;
  }
  __device__ __forceinline__ TileExtent of_warp() const {
    const unsigned above = warp_max(~least_);
    if (above == 0) return {no_top, no_lowest_bit, false};
    const unsigned largest = warp_max(__float_as_uint(largest_));
    return {exponent(largest >> TileTerms::fraction) + TileTerms::fraction + 1,
            exponent((~above + 1) >> (TileTerms::fraction + 1)), false};
  }
  /// For numbers with few significant bits, exponents alone underestimate the lowest bit.
  __device__ __forceinline__ bool may_have_few_digits() const {
    return !__any_sync(all_lanes, (digits_ & 7) != 0);
  }

 private:
  /// The exponent of the last place.
  static __device__ __forceinline__ int exponent(unsigned field) {
    return static_cast<int>(max(field, 1u)) - TileTerms::bias - TileTerms::fraction;
  }

  float largest_ = 0;
  unsigned least_ = ~0u;  // smallest magnitude, shifted up by 1 bit, minus 1: zero becomes the largest
  unsigned other_ = 0, digits_ = 0;
};

/// As for other elements.
template <>
class TileSum<Elements::float32> {
  using Source = TileWords<Elements::float32>;
  using Scratch = TileSumScratch<Elements::float32>;

 public:
  __device__ TileSum(const ScanJob& job, Scratch& scratch) : job_(job), scratch_(scratch) {}

  __device__ __forceinline__ TileExtent store(int tile, std::int64_t (&row)[scan_rows]) const {
    const Source source{job_.x};
    const std::int64_t begin = std::int64_t{tile} * float_tile;
    const std::int64_t end = min(begin + float_tile, std::int64_t{job_.count});
    const Buckets<TileTerms, 32> buckets(scratch_.bucket);
    FloatExtent found;
    bool has_nonfinite = false;
    for (std::int64_t first = begin; first < end; first += warp_elements) {
      float x[tile_per_thread];
      source.take(first + lane(), 32, end, false, x);
      source.prefetch(first + warp_elements, warp_elements, lane(), end);
      float zero = 0;
#pragma unroll
      for (const float t : x) zero = __fmaf_rn(t, 0, zero);
      if (__any_sync(all_lanes, zero != 0)) {
        has_nonfinite = true;
        count_and_remove(x);
      }
#pragma unroll
      for (const float t : x) {
        found.observe(t);
        buckets.add_finite(t, t);
      }
    }
    buckets.close(Rows{scratch_.row});
    if (found.has_other_than_negative_zero() && lane() == 0) scratch_.row[other_than_negative_zero_row] = 1;
    TileExtent extent = found.of_warp();
    extent.has_nonfinite = has_nonfinite;
    if (extent.lowest_bit < extent.top - max_tile_exponent_span && !has_nonfinite &&
        found.may_have_few_digits())
      extent.lowest_bit = exact_lowest_bit(source, begin, end);
    move_rows(scratch_.row, row);
    return extent;
  }

 private:
  struct Rows {
    Word* row;
    __device__ __forceinline__ void add(std::int64_t value, int exponent) const {
      add_to_rows(row, value, exponent);
    }
  };

  __device__ __forceinline__ void count_and_remove(float (&x)[tile_per_thread]) const {
    std::uint64_t words[tile_per_thread];
#pragma unroll
    for (int k = 0; k < tile_per_thread; ++k) {
      words[k] = bits_of(static_cast<double>(x[k]));
      if (!is_finite(words[k])) x[k] = 0;
    }
    count_in_rows<Elements::float32>(scratch_.row, words);
  }
  static __device__ __noinline__ int exact_lowest_bit(const Source& source, std::int64_t begin,
                                                      std::int64_t end) {
    LowestBit lowest;
    for (std::int64_t i = begin + lane(); i < end; i += 32)
      lowest.observe(decompose(from_bits(source.at(i))));
    return lowest.of_warp();
  }

  const ScanJob& job_;
  Scratch& scratch_;
};

}  // namespace foldline::cuda
