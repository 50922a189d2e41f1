// Buckets: exact sums of terms of any exponent at a constant price, for data that no window of bins covers. A term's
// significand is shifted to one of a few positions and added, in pieces that leave room for carries, to the bucket of its
// exponent: two or three integer additions, no search, no carry chain. (Neal's large superaccumulator goes one bucket per
// exponent; one per 32 exponents keeps them in a few KB of L1 cache and makes emptying them cheap.)
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

/// Buckets for doubles: a 53-bit significand shifted by up to 31 is two pieces of at most 43 bits.
class SumBuckets {
 public:
  /// Terms after which the pieces must be moved on: 2^43 * 2^19 < 2^63.
  static constexpr std::int64_t capacity = std::int64_t{1} << 19;
  static constexpr int piece_bits = 43;
  static constexpr int buckets = 64;

  FOLDLINE_HOST_DEVICE void clear() {
    for (int i = 0; i < buckets; ++i) piece_[i][0] = piece_[i][1] = 0;
  }

  /// Adds a finite double.
  FOLDLINE_HOST_DEVICE void add(double x) {
    const std::uint64_t bits = bits_of(x);
    const unsigned field = static_cast<unsigned>(bits >> fraction_bits) & infinite_field;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
    // A subnormal has the exponent of field 1 and no hidden bit: doubling it as a number of field 0 says the same.
    const std::uint64_t significand = field != 0 ? fraction | std::uint64_t{1} << fraction_bits : fraction << 1;
    const unsigned shift = field & 31;
    const auto sign = static_cast<std::int64_t>(bits) >> 63;  // 0 or -1
    const auto low = static_cast<std::int64_t>(significand << shift & ((std::uint64_t{1} << piece_bits) - 1));
    const auto high = static_cast<std::int64_t>(significand >> (piece_bits - shift));
    std::int64_t* piece = piece_[field >> 5];
    piece[0] += (low ^ sign) - sign;
    piece[1] += (high ^ sign) - sign;
  }

  /// Moves everything into an ExactSum.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void move_to(Sum& sum) {
    for (int i = 0; i < buckets; ++i) {
      const int exponent = 32 * i - significand_bias;
      if (piece_[i][0] != 0) sum.limbs().add(piece_[i][0], exponent);
      if (piece_[i][1] != 0) sum.limbs().add(piece_[i][1], exponent + piece_bits);
    }
    clear();
  }

 private:
  std::int64_t piece_[buckets][2];
};

/// Buckets for exact products of two doubles: 106 bits shifted by up to 31 are three pieces of at most 48 bits.
class ProductBuckets {
 public:
  /// 2^48 * 2^14 < 2^63
  static constexpr std::int64_t capacity = std::int64_t{1} << 14;
  static constexpr int piece_bits = 48;
  static constexpr int buckets = 128;

  FOLDLINE_HOST_DEVICE void clear() {
    for (int i = 0; i < buckets; ++i) piece_[i][0] = piece_[i][1] = piece_[i][2] = 0;
  }

  /// Adds x * y for finite doubles.
  FOLDLINE_HOST_DEVICE void add(double x, double y) {
    const Decomposed a = decompose(x);
    const Decomposed b = decompose(y);
    const auto exponent = static_cast<unsigned>(a.exponent + b.exponent - 2 * smallest_exponent);
    const unsigned shift = exponent & 31;
    const Uint128 product = static_cast<Uint128>(a.significand) * b.significand;
    constexpr std::uint64_t mask = (std::uint64_t{1} << piece_bits) - 1;
    const Uint128 rest = product >> (piece_bits - shift);
    const auto low = static_cast<std::int64_t>((static_cast<std::uint64_t>(product) << shift) & mask);
    const auto middle = static_cast<std::int64_t>(static_cast<std::uint64_t>(rest) & mask);
    const auto high = static_cast<std::int64_t>(rest >> piece_bits);
    const std::int64_t sign = a.negative != b.negative ? -1 : 0;
    std::int64_t* piece = piece_[exponent >> 5];
    piece[0] += (low ^ sign) - sign;
    piece[1] += (middle ^ sign) - sign;
    piece[2] += (high ^ sign) - sign;
  }

  /// Moves everything into an ExactSum of ProductLimbs.
  template <class Sum>
  FOLDLINE_HOST_DEVICE void move_to(Sum& sum) {
    for (int i = 0; i < buckets; ++i)
      for (int k = 0; k < 3; ++k)
        if (piece_[i][k] != 0)
          sum.limbs().add(piece_[i][k], 32 * i + piece_bits * k + 2 * smallest_exponent);
    clear();
  }

 private:
  std::int64_t piece_[buckets][3];
};

}  // namespace foldline
