// Buckets: exact sums of terms of any exponent at a constant price, for data that no window of bins covers. A
// term's significand, shifted by its exponent mod 32, is cut into pieces that leave room for carries, which
// are added to the bucket of its exponent / 32: two or three integer additions, no search, no carry chain.
// (Neal's large superaccumulator has one bucket per exponent; one per 32 of them keeps all in a few KB of L1
// cache and makes emptying them cheap.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

/// Buckets for doubles: x = (high * 2^high_unit + low * 2^low_unit) * 2^(32 place - 1023), where the number
/// in brackets is a significand in [1, 2) shifted by up to 31: below 2^32, and a multiple of 2^-52.
class SumBuckets {
 public:
  static constexpr int high_unit = -10;
  static constexpr int low_unit = -52;
  static constexpr int buckets = 64;
  static constexpr int pieces = 2;
  /// Terms after which the buckets must be emptied: 2^42 * 2^20 < 2^63.
  static constexpr std::int64_t capacity = std::int64_t{1} << 20;

  FOLDLINE_HOST_DEVICE void clear() {
    for (int i = 0; i < buckets; ++i)
      for (int k = 0; k < pieces; ++k) piece_[i][k] = 0;
  }
  /// The pieces of one bucket, high and low.
  FOLDLINE_HOST_DEVICE std::int64_t* at(std::size_t place) { return piece_[place]; }
  /// Moves everything into an ExactSum.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void move_to(Sum& sum) {
    for (int i = 0; i < buckets; ++i) {
      sum.add(piece_[i][0], 32 * i - exponent_bias + high_unit);
      sum.add(piece_[i][1], 32 * i - exponent_bias + low_unit);
    }
    clear();
  }

 private:
  std::int64_t piece_[buckets][pieces];
};

/// Buckets for products of two doubles, where the bracket is the product of two significands shifted by up to
/// 31: below 2^33, and a multiple of 2^-104; and the two biases come off the exponent. `middle` and `low` are
/// each the sum of two pieces.
class ProductBuckets {
 public:
  static constexpr int high_unit = -13;
  static constexpr int middle_unit = -59;
  static constexpr int low_unit = -105;
  static constexpr int buckets = 128;
  static constexpr int pieces = 4;
  /// 2^47 * 2^15 < 2^63
  static constexpr std::int64_t capacity = std::int64_t{1} << 15;

  FOLDLINE_HOST_DEVICE void clear() {
    for (int i = 0; i < buckets; ++i)
      for (int k = 0; k < pieces; ++k) piece_[i][k] = 0;
  }
  /// The pieces of one bucket: high, middle, low, and one that is not used, so that four lanes hold them.
  FOLDLINE_HOST_DEVICE std::int64_t* at(std::size_t place) { return piece_[place]; }
  /// Moves everything into an ExactSum of ProductLimbs.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void move_to(Sum& sum) {
    constexpr int unit[3] = {high_unit, middle_unit, low_unit};
    for (int i = 0; i < buckets; ++i)
      for (int k = 0; k < 3; ++k) sum.add(piece_[i][k], 32 * i - 2 * exponent_bias + unit[k]);
    clear();
  }

 private:
  std::int64_t piece_[buckets][pieces];
};

}  // namespace foldline
