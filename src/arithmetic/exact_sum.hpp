// An exact sum in progress: limbs, and counters for the terms that no fixed-point number can hold.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/host_device.hpp"
#include "arithmetic/int128.hpp"
#include "arithmetic/int192.hpp"
#include "arithmetic/limbs.hpp"
#include "arithmetic/natural.hpp"

namespace foldline {

/// Counts of the terms that were NaN or infinite.
struct Specials {
  std::int64_t nan = 0, positive_infinity = 0, negative_infinity = 0;

  FOLDLINE_HOST_DEVICE bool any() const { return (nan | positive_infinity | negative_infinity) != 0; }
  /// Counts x, which must be NaN or infinite.
  FOLDLINE_HOST_DEVICE void count(double x) {
    const std::uint64_t bits = bits_of(x);
    if ((bits & ~sign_bit) != infinity_bits)
      ++nan;
    else if ((bits & sign_bit) != 0)
      ++negative_infinity;
    else
      ++positive_infinity;
  }
  FOLDLINE_HOST_DEVICE void merge(const Specials& other) {
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
  }
  /// The sum if any() is true: NaN after a NaN or after infinities of both signs, else the infinity.
  FOLDLINE_HOST_DEVICE double sum() const {
    if (nan != 0 || (positive_infinity != 0 && negative_infinity != 0)) return from_bits(canonical_nan);
    return from_bits(positive_infinity != 0 ? infinity_bits : infinity_bits | sign_bit);
  }
};

/// Limbs that are cleared at first use. The sum of a short vector fits one 128-bit integer, the compact form,
/// and then never touches the limbs: to clear and to scan them would cost more than to add up 500 elements.
template <class L>
class ExactSum {
 public:
  using Limbs = L;
  Specials specials;

  /// Adds value * 2^exponent.
  FOLDLINE_HOST_DEVICE void add(Int128 value, int exponent) {
    if (value == 0) return;
    if (state_ == State::zero) {
      compact_ = value;
      compact_exponent_ = exponent;
      state_ = State::compact;
      return;
    }
    // Not magnitude(): the variance of 64 doubles would take 4 % longer (Zen 5, GCC 12).
    const bool negative = value < 0;
    limbs().add(negative, negative ? ~static_cast<Uint128>(value) + 1 : static_cast<Uint128>(value),
                exponent);
  }

  /// Adds an integer, as one addition if it fits 128 bits.
  FOLDLINE_HOST_DEVICE void add(const Int192& value) {
    const Uint128 low = low_half(value);
    const auto high = static_cast<std::int64_t>(value.word[2]);
    if (high == (low >> 127 != 0 ? -1 : 0)) return add(static_cast<Int128>(low), 0);
    add(static_cast<Int128>(value.word[0]), 0);
    add(static_cast<Int128>(value.word[1]), 64);
    add(static_cast<Int128>(high), 128);
  }

  FOLDLINE_HOST_DEVICE void merge(const ExactSum& other) {
    specials.merge(other.specials);
    if (other.state_ == State::compact)
      add(other.compact_, other.compact_exponent_);
    else if (other.state_ == State::long_form)
      limbs().merge(other.limbs_);
  }

  /// The sum as limbs, to which it is converted.
  FOLDLINE_HOST_DEVICE L& limbs() {
    if (state_ != State::long_form) {
      limbs_.clear();
      if (state_ == State::compact)
        limbs_.add(compact_ < 0, foldline::magnitude(compact_), compact_exponent_);
      state_ = State::long_form;
    }
    return limbs_;
  }

  /// The sum as +-magnitude * 2^(the returned exponent).
  struct Magnitude {
    bool negative;
    int exponent;
  };
  /// Whether the sum is in the compact form, one integer times a power of two, which is fast to round.
  FOLDLINE_HOST_DEVICE bool is_compact() const { return state_ == State::compact; }
  FOLDLINE_HOST_DEVICE Magnitude compact_magnitude(Uint128& value) const {
    value = foldline::magnitude(compact_);
    return {compact_ < 0, compact_exponent_};
  }
  template <int C>
  FOLDLINE_HOST_DEVICE Magnitude magnitude(Natural<C>& value) const {
    if (is_compact()) {
      Uint128 compact = 0;
      const Magnitude result = compact_magnitude(compact);
      value = natural_of<C>(compact);
      return result;
    }
    if (state_ == State::zero) {
      value.size = 0;
      return {false, 0};
    }
    const SignedDigits digits = magnitude_of(limbs_.words(), L::count, value);
    return {digits.negative, L::first_exponent + 32 * digits.skipped};
  }

 private:
  enum class State : std::uint8_t { zero, compact, long_form };
  State state_ = State::zero;
  int compact_exponent_ = 0;
  Int128 compact_ = 0;
  L limbs_;  // meaningful in the long form only
};

}  // namespace foldline
