// Limbs: a fixed-point number long enough for any sum. Each word is an int64 with a weight of 32 bits, so
// carries can be delayed and accumulators are merged by adding words. (Kulisch's long accumulator.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"

namespace foldline {

/// `Count` words; word i weighs 2^(First + 32 i). First is a multiple of 32, so that the words of all
/// accumulators are aligned.
template <int First, int Count>
class Limbs {
  static_assert(First % 32 == 0);

 public:
  static constexpr int first_exponent = First;
  static constexpr int count = Count;

  FOLDLINE_HOST_DEVICE void clear() {
    for (int i = 0; i < Count; ++i) word_[i] = 0;
    additions_ = 0;
  }

  /// Adds value * 2^exponent. The result must lie in the range of the accumulator. O(1).
  FOLDLINE_HOST_DEVICE void add(std::int64_t value, int exponent) {
    const std::uint64_t magnitude =
        value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    add(value < 0, magnitude, exponent);
  }

  /// Adds +-magnitude * 2^exponent.
  FOLDLINE_HOST_DEVICE void add(bool negative, Uint128 magnitude, int exponent) {
    const int offset = exponent - First;
    std::int64_t* word = word_ + offset / 32;
    const int shift = offset % 32;
    // 128 + 31 bits: five digits, from the lowest
    const Uint128 low = magnitude << shift;
    const std::uint32_t high = shift == 0 ? 0 : static_cast<std::uint32_t>(magnitude >> (128 - shift));
    const std::uint32_t digit[5] = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                                    static_cast<std::uint32_t>(low >> 64),
                                    static_cast<std::uint32_t>(low >> 96), high};
    const std::int64_t sign = negative ? -1 : 1;
    // Words past the end do not exist; their digits are zero by the precondition.
    const auto room = word_ + Count - word;
    for (int i = 0; i < 5 && i < room; ++i) word[i] += sign * static_cast<std::int64_t>(digit[i]);
    count_additions(1);
  }

  /// Adds a finite double.
  FOLDLINE_HOST_DEVICE void add(double x) {
    const Decomposed parts = decompose(x);
    add(parts.negative, parts.significand, parts.exponent);
  }

  FOLDLINE_HOST_DEVICE void merge(const Limbs& other) {
    for (int i = 0; i < Count; ++i) word_[i] += other.word_[i];
    count_additions(other.additions_ + 1);
  }

  /// Propagates carries: every word but the last becomes a digit in [0, 2^32); the last keeps the sign.
  FOLDLINE_HOST_DEVICE void normalise() {
    std::int64_t carry = 0;
    for (int i = 0; i < Count - 1; ++i) {
      const std::int64_t sum = word_[i] + carry;
      carry = sum >> 32;  // floor
      word_[i] = sum & 0xffffffff;
    }
    word_[Count - 1] += carry;
    additions_ = 1;
  }

  /// Whether the words are as normalise() leaves them and the total is one that at most 2^63 terms can reach:
  /// required of deserialised words.
  FOLDLINE_HOST_DEVICE bool is_normalised() const {
    for (int i = 0; i < Count - 1; ++i)
      if (word_[i] < 0 || word_[i] > 0xffffffff) return false;
    return word_[Count - 1] >= -(std::int64_t{1} << 31) && word_[Count - 1] < (std::int64_t{1} << 31);
  }

  FOLDLINE_HOST_DEVICE std::int64_t* words() { return word_; }
  FOLDLINE_HOST_DEVICE const std::int64_t* words() const { return word_; }

 private:
  // Each addition changes a word by less than 2^32, so 2^30 of them keep it below 2^62.
  FOLDLINE_HOST_DEVICE void count_additions(std::int64_t n) {
    additions_ += n;
    if (additions_ >= (std::int64_t{1} << 30)) normalise();
  }

  std::int64_t word_[Count];
  std::int64_t additions_;
};

/// Sums of doubles: 2^-1088 .. 2^1152, where 2^63 terms below 2^1024 need 2^1087.
using SumLimbs = Limbs<-1088, 70>;
/// Sums of products of two doubles: 2^-2176 .. 2^2176, where 2^63 products below 2^2048 need 2^2111.
using ProductLimbs = Limbs<-2176, 136>;

}  // namespace foldline
