// A running exact sum that can be rounded after every term: for scans of elements that no vector code
// handles.
#pragma once

#include <cstdint>

#include "arithmetic/exact_sum.hpp"
#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"
#include "arithmetic/limbs.hpp"
#include "arithmetic/rounding.hpp"

namespace foldline {

/// A two's complement number in units of 2^first_exponent, in words of 64 bits without pending carries. Words
/// that only extend the sign are not stored, so an addition or a rounding touches a few words around the
/// leading one, whatever the exponents are. (Limbs delay their carries, so that every rounding would have to
/// propagate them over all words.)
class ExactPrefix {
 public:
  static constexpr int first_exponent = SumLimbs::first_exponent;
  /// Sums reach 2^1087, which takes 34 words; one more for the slack of settle(), one while words are being
  /// added.
  static constexpr int words = 36;

  /// Adds a finite double. O(1) but for carries, which rarely go far.
  FOLDLINE_HOST_DEVICE void add(double x) {
    const Decomposed parts = decompose(x);
    if (parts.significand == 0) return;
    const int offset = parts.exponent - first_exponent;
    const Int128 value = static_cast<Int128>(Uint128{parts.significand} << (offset % 64));
    add(parts.negative ? -value : value, offset / 64);
  }

  /// Adds an integer; |value| < 2^126.
  FOLDLINE_HOST_DEVICE void add_integer(Int128 value) {
    static_assert(first_exponent % 64 == 0);
    add(static_cast<Int128>(static_cast<std::uint64_t>(value)), -first_exponent / 64);
    add(value >> 64, -first_exponent / 64 + 1);
  }

  /// Adds a sum of doubles.
  void add(const ExactSum<SumLimbs>& sum) {
    ExactSum<SumLimbs> copy = sum;
    SumLimbs& limbs = copy.limbs();
    limbs.normalise();
    const std::int64_t* digit = limbs.words();
    static_assert(SumLimbs::count % 2 == 0);
    for (int i = 0; i < SumLimbs::count; i += 2)
      add(static_cast<Int128>(digit[i + 1]) * (Int128{1} << 32) + digit[i], i / 2);
  }

  /// Adds another one.
  FOLDLINE_HOST_DEVICE void add(const ExactPrefix& other) {
    for (int i = other.lowest_; i < other.size_; ++i) {
      const std::uint64_t digits = other.word_[i];
      add(i + 1 < other.size_ ? Int128{digits} : Int128{static_cast<std::int64_t>(digits)}, i);
    }
  }

  /// Sets the number to the sum of limb(i) * 2^(first_exponent + 32 i); limbs may have pending carries.
  template <class LimbAt>
  FOLDLINE_HOST_DEVICE void assign(const LimbAt& limb) {
    size_ = SumLimbs::count / 2;
    lowest_ = words;
    std::int64_t carry = 0;
    for (int i = 0; i < size_; ++i) {
      const std::int64_t low = limb(2 * i) + carry;
      const std::int64_t high = limb(2 * i + 1) + (low >> 32);
      carry = high >> 32;
      word_[i] = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
      if (word_[i] != 0 && i < lowest_) lowest_ = i;
    }
    settle();
  }

  FOLDLINE_HOST_DEVICE bool is_zero() const { return size_ == 1 && word_[0] == 0; }

  /// Whether the sum is an integer.
  bool is_integer() const {
    for (int i = lowest_; i < -first_exponent / 64; ++i)
      if (word(i) != 0) return false;
    return true;
  }

  /// |sum| <= 2^bound().
  int bound() const {
    const std::uint64_t extension = sign();
    int i = size_ - 1;
    while (i > 0 && word_[i] == extension) --i;
    const std::uint64_t magnitude = word_[i] ^ extension;
    return first_exponent + 64 * i + (magnitude == 0 ? 0 : 64 - leading_zeros(magnitude));
  }

  /// floor(sum / 2^exponent), modulo 2^64; exponent >= first_exponent.
  std::int64_t floor_of_quotient(int exponent) const {
    const int offset = exponent - first_exponent;
    const int shift = offset % 64;
    const std::uint64_t low = word(offset / 64) >> shift;
    return static_cast<std::int64_t>(shift == 0 ? low : low | word(offset / 64 + 1) << (64 - shift));
  }

  /// The sum, not zero, rounded once.
  FOLDLINE_HOST_DEVICE double rounded(const FloatFormat& format) const {
    std::uint64_t top = word_[size_ - 1];
    std::uint64_t middle = word_or_zero(size_ - 2);
    std::uint64_t low = word_or_zero(size_ - 3);
    bool sticky = false;
    for (int i = size_ - 4; i >= lowest_ && !sticky; --i) sticky = word_[i] != 0;
    const bool negative = static_cast<std::int64_t>(top) < 0;
    if (negative) {
      // Nonzero words below: the complement takes no carry from them, and the magnitude has nonzero words
      // below, too.
      low = ~low + (sticky ? 0u : 1u);
      const bool carry = !sticky && low == 0;
      middle = ~middle + (carry ? 1u : 0u);
      top = ~top + (carry && middle == 0 ? 1u : 0u);
    }
    int exponent = first_exponent + 64 * (size_ - 1);
    for (; top == 0; top = middle, middle = low, low = 0) exponent -= 64;
    const int zeros = leading_zeros(top);
    const Uint128 leading = (Uint128{top} << 64 | middle) << zeros;
    return round(negative,
                 {static_cast<std::uint64_t>(leading >> 64), exponent - zeros,
                  sticky || low != 0 || static_cast<std::uint64_t>(leading) != 0},
                 format);
  }

 private:
  FOLDLINE_HOST_DEVICE std::uint64_t sign() const {
    return static_cast<std::int64_t>(word_[size_ - 1]) < 0 ? ~std::uint64_t{0} : 0;
  }
  std::uint64_t word(int i) const { return i < size_ ? word_[i] : sign(); }
  FOLDLINE_HOST_DEVICE std::uint64_t word_or_zero(int i) const { return i < 0 ? 0 : word_[i]; }

  /// Adds value * 2^(64 place) of first_exponent's units; |value| < 2^126.
  FOLDLINE_HOST_DEVICE void add(Int128 value, int place) {
    if (value == 0) return;
    if (place < lowest_) lowest_ = place;
    for (const std::uint64_t extension = sign(); size_ < place + 2;) word_[size_++] = extension;
    const auto bits = static_cast<Uint128>(value);
    Uint128 sum = Uint128{word_[place]} + static_cast<std::uint64_t>(bits);
    word_[place] = static_cast<std::uint64_t>(sum);
    sum = Uint128{word_[place + 1]} + static_cast<std::uint64_t>(bits >> 64) +
          static_cast<std::uint64_t>(sum >> 64);
    word_[place + 1] = static_cast<std::uint64_t>(sum);
    // The carry into the words above: -1, 0 or 1.
    int carry = static_cast<int>(sum >> 64) - (value < 0 ? 1 : 0);
    for (int i = place + 2; carry != 0 && i < size_; ++i) {
      const std::uint64_t before = word_[i];
      word_[i] += static_cast<std::uint64_t>(static_cast<std::int64_t>(carry));
      if (carry > 0 ? word_[i] != 0 : before != 0) carry = 0;
    }
    settle();
  }

  /// Drops words that only extend the sign, as long as the highest word keeps to 62 bits and a sign, so that
  /// an addition cannot overflow it.
  FOLDLINE_HOST_DEVICE void settle() {
    const auto has_slack = [](std::uint64_t word) {
      return static_cast<std::int64_t>(word) >> 62 == static_cast<std::int64_t>(word) >> 63;
    };
    if (!has_slack(word_[size_ - 1])) {
      const std::uint64_t extension = sign();
      word_[size_++] = extension;
    }
    for (; size_ > 1 && has_slack(word_[size_ - 2]); --size_)
      if (word_[size_ - 1] != static_cast<std::uint64_t>(static_cast<std::int64_t>(word_[size_ - 2]) >> 63))
        break;
  }

  std::uint64_t word_[words] = {};  // undefined from size_ on
  int size_ = 1;
  int lowest_ = words;  // the words below it are zero
};

}  // namespace foldline
