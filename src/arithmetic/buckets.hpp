// Buckets: exact sums of terms of any exponents at a constant price, for data that no window of bins covers.
// A term is not aligned with the others: it is added, as an integer, to the bucket of its exponent, by one
// addition without search or carry chain. (After the large superaccumulator of Neal, "Fast Exact Summation
// Using Small and Large Superaccumulators", 2015.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

inline constexpr std::uint64_t hidden_bit = std::uint64_t{1} << fraction_bits;

/// Buckets for doubles, one per sign and exponent field: 32 KiB, the size of an L1 cache.
///
/// Adding does not look for special exponent fields: zeros, subnormals, infinities and NaN go to four
/// buckets, which take_unusual() must check and clear at least every 2^11 terms.
class SumBuckets {
 public:
  /// Adds a term. If its bucket overflows, a carry of 2^64 units goes to `sum`.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void add(double x, Sum& sum) {
    const std::uint64_t bits = bits_of(x);
    const auto place = static_cast<std::size_t>(bits >> fraction_bits);
    const std::uint64_t term = (bits & (hidden_bit - 1)) | hidden_bit;
    const std::uint64_t total = bucket_[place] + term;
    bucket_[place] = total;
    if (total < term) carry(static_cast<int>(place), sum);
  }

  /// Returns whether any term was zero, subnormal, infinite or NaN, and clears their buckets.
  FOLDLINE_HOST_DEVICE bool take_unusual() {
    bool any = false;
    constexpr int unusual[] = {0, infinite_field, negative, negative + infinite_field};
    for (const int place : unusual) {
      any = any || bucket_[place] != 0;
      bucket_[place] = 0;
    }
    return any;
  }

  FOLDLINE_HOST_DEVICE void clear() {
    for (std::uint64_t& bucket : bucket_) bucket = 0;
  }

  /// Moves everything into an ExactSum.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void move_to(Sum& sum) {
    constexpr int together = 32;  // neighbouring buckets, whose total is below 2^(65 + 31), are added at once
    for (int first = 0; first < negative; first += together) {
      Int128 total = 0;
      for (int i = together - 1; i >= 0; --i) {
        total *= 2;
        total += bucket_[first + i];
        total -= bucket_[negative + first + i];
      }
      sum.add(total, first - significand_bias);
    }
    clear();
  }

 private:
  static constexpr int negative = 1 << 11;  // the sign bit, above the exponent field

  template <class Sum>
#if !defined(__CUDACC__)
  __attribute__((noinline, cold))
#endif
  FOLDLINE_HOST_DEVICE static void
  carry(int place, Sum& sum) {
    const Int128 units = Int128{1} << 64;
    sum.add(place >= negative ? -units : units, (place & (negative - 1)) - significand_bias);
  }

  std::uint64_t bucket_[2 * negative];
};

/// Buckets for products of two doubles, one per four sums of exponent fields (a zero's and a subnormal's
/// field counts as 1): 16 KiB. A term is high + low * 2^-52, in units of 2^(4 place - 2 exponent_bias - 52),
/// with |high| < 2^57 and |low| <= 2^56.
class ProductBuckets {
 public:
  static constexpr int fields_per_bucket = 4;
  static constexpr int pieces = 2;

  /// The two pieces of a bucket, high and low, each with `bias` added. They are in range within [0, 2^63);
  /// out of range, bit 63 is set. It must be checked at least every 32 additions to a bucket, which reset()
  /// then empties.
  FOLDLINE_HOST_DEVICE std::uint64_t* at(std::size_t place) { return bucket_[place]; }

  /// Moves one bucket into an ExactSum of ProductLimbs.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void reset(std::size_t place, Sum& sum) {
    const int unit = fields_per_bucket * static_cast<int>(place) - 2 * exponent_bias - fraction_bits;
    sum.add(static_cast<Int128>(static_cast<std::int64_t>(bucket_[place][0] - bias)), unit);
    sum.add(static_cast<Int128>(static_cast<std::int64_t>(bucket_[place][1] - bias)), unit - fraction_bits);
    bucket_[place][0] = bucket_[place][1] = bias;
  }

  FOLDLINE_HOST_DEVICE void clear() {
    for (auto& bucket : bucket_) bucket[0] = bucket[1] = bias;
  }

  /// Moves everything into an ExactSum of ProductLimbs.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void move_to(Sum& sum) {
    for (std::size_t i = 0; i < buckets; ++i) reset(i, sum);
  }

 private:
  static constexpr std::uint64_t bias = std::uint64_t{1} << 62;
  static constexpr std::size_t buckets = (std::size_t{1} << 12) / fields_per_bucket;
  std::uint64_t bucket_[buckets][pieces];
};

}  // namespace foldline
