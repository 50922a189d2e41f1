// Exact sums in little memory: integers of 128 or 256 bits times a power of two that follows the terms.
#pragma once

#include <algorithm>
#include <cstdint>

#include "arithmetic/host_device.hpp"
#include "arithmetic/int128.hpp"

namespace foldline {

/// A signed integer of 256 bits.
struct Int256 {
  Uint128 low = 0;
  Int128 high = 0;
};

inline int trailing_zeros(Uint128 x) {  // x != 0
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high);
}

/// The integer operations that a ScaledInteger needs, for either size.
template <class Integer>
struct IntegerOps;

template <>
struct IntegerOps<Int128> {
  static constexpr int bits = 128;
  static bool is_zero(Int128 x) { return x == 0; }
  static bool is_negative(Int128 x) { return x < 0; }
  static Int128 negated(Int128 x) { return static_cast<Int128>(~static_cast<Uint128>(x) + 1); }
  static Int128 sum(Int128 a, Int128 b) {
    return static_cast<Int128>(static_cast<Uint128>(a) + static_cast<Uint128>(b));
  }
  static Int128 shifted_up(Int128 x, int by) { return static_cast<Int128>(static_cast<Uint128>(x) << by); }
  static Int128 shifted_down(Int128 x, int by) { return x >> by; }
  static Int128 from(Uint128 x) { return static_cast<Int128>(x); }
  static int length(Int128 x) { return bit_length(static_cast<Uint128>(x)); }
  static int zeros_below(Int128 x) { return trailing_zeros(static_cast<Uint128>(x)); }
  /// Whether |x| < 2^126, nearly.
  static bool fits(Int128 x) {
    const auto top = static_cast<std::int64_t>(x >> 64);
    return ((top ^ (top << 1)) >= 0);
  }
};

template <>
struct IntegerOps<Int256> {
  static constexpr int bits = 256;
  static bool is_zero(const Int256& x) { return x.low == 0 && x.high == 0; }
  static bool is_negative(const Int256& x) { return x.high < 0; }
  static Int256 negated(const Int256& x) {
    const Uint128 low = ~x.low + 1;
    return {low, static_cast<Int128>(~static_cast<Uint128>(x.high) + (low == 0 ? 1 : 0))};
  }
  static Int256 sum(const Int256& a, const Int256& b) {
    const Uint128 low = a.low + b.low;
    return {low, static_cast<Int128>(static_cast<Uint128>(a.high) + static_cast<Uint128>(b.high) +
                                     (low < a.low ? 1 : 0))};
  }
  static Int256 shifted_up(const Int256& x, int by) {
    if (by == 0) return x;
    if (by >= 128) return {0, static_cast<Int128>(x.low << (by - 128))};
    return {x.low << by, static_cast<Int128>(static_cast<Uint128>(x.high) << by | x.low >> (128 - by))};
  }
  static Int256 shifted_down(const Int256& x, int by) {
    if (by == 0) return x;
    if (by >= 128) return {static_cast<Uint128>(x.high >> (by - 128)), x.high >> 127};
    return {x.low >> by | static_cast<Uint128>(x.high) << (128 - by), x.high >> by};
  }
  static Int256 from(Uint128 x) { return {x, 0}; }
  static int length(const Int256& x) {
    return x.high != 0 ? 128 + bit_length(static_cast<Uint128>(x.high)) : bit_length(x.low);
  }
  static int zeros_below(const Int256& x) {
    return x.low != 0 ? trailing_zeros(x.low) : 128 + trailing_zeros(static_cast<Uint128>(x.high));
  }
  static bool fits(const Int256& x) { return IntegerOps<Int128>::fits(x.high); }
};

/// value * 2^exponent: the exact sum of its terms.
template <class Integer>
struct ScaledInteger {
  using Ops = IntegerOps<Integer>;
  /// Bits of a value: one beside the sign stays free.
  static constexpr int capacity_bits = Ops::bits - 2;

  Integer value = {};
  int exponent = 0;

  /// Adds +-magnitude * 2^at. Returns false and leaves the sum unchanged if no exponent lets `value` hold the
  /// new one. The exponent never falls below `lowest`; no term's does.
  bool add(bool negative, Uint128 magnitude, int at, int lowest) {
    const int shift = at - exponent;
    if (shift >= 0 && shift + bit_length(magnitude) <= capacity_bits) [[likely]] {
      const Integer sum = with(negative, Ops::shifted_up(Ops::from(magnitude), shift));
      if (Ops::fits(sum)) [[likely]] {
        value = sum;
        return true;
      }
    }
    return magnitude == 0 || (move(magnitude, at, lowest) && add(negative, magnitude, at, lowest));
  }

 private:
  Integer with(bool negative, const Integer& term) const {
    return Ops::sum(value, negative ? Ops::negated(term) : term);
  }

  /// Chooses the exponent anew so that the value can hold the sum and the term, whose trailing zeros are
  /// dropped. Spare bits are divided evenly above and below, but for more below if terms with trailing zeros
  /// reach so far. Returns false if there is no such exponent.
  bool move(Uint128& magnitude, int& at, int lowest) {
    const int cut = trailing_zeros(magnitude), uncut = at;
    magnitude >>= cut;
    at += cut;
    int low = at, high = at + bit_length(magnitude);
    if (!Ops::is_zero(value)) {
      low = std::min(low, exponent + Ops::zeros_below(value));
      high = std::max(high, exponent + Ops::length(Ops::is_negative(value) ? Ops::negated(value) : value));
    }
    const int spare = capacity_bits - (high + 1 - low);  // the sum is at most one bit longer
    if (spare < 0) return false;
    const int place = std::max({std::min(low - spare / 2, uncut), low - spare, lowest});
    if (!Ops::is_zero(value))
      value = place <= exponent ? Ops::shifted_up(value, exponent - place)
                                : Ops::shifted_down(value, place - exponent);
    exponent = place;
    return true;
  }
};

}  // namespace foldline
