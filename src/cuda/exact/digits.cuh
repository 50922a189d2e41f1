// Digits in shared memory for terms that the windows of a block's threads do not hold.
//
// A digit is a signed 32-bit integer with a weight of 16 bits more than the one before. Each lane of a warp
// has a copy in a bank of its own, so lanes never conflict (with several sums, two lanes share a copy). A
// term is shifted by less than a digit, cut according to its biased exponent, and added digit by digit
// without carries: three atomic additions for a float, five for a double, eight for a product of doubles,
// whatever the exponent.
#pragma once

#include <cstdint>
#include <type_traits>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/limbs.hpp"
#include "cuda/device/block.cuh"
#include "cuda/device/lane.cuh"
#include "cuda/exact/block_limbs.cuh"

namespace foldline::cuda {

inline constexpr int digit_bits = 16;

/// `first_exponent`: the exponent of a term whose biased exponents are zero. `count` digits hold all sums.
struct DigitRange {
  int first_exponent, count;
};
inline constexpr DigitRange float_digits{-150, 20}, float_product_digits{-300, 40};
inline constexpr DigitRange double_digits{smallest_exponent - 1, 140};
inline constexpr DigitRange double_product_digits{2 * (smallest_exponent - 1), 272};
static_assert(double_product_digits.first_exponent >= first_exponent);
// The largest terms take three, four, five and eight digits.
static_assert(float_digits.count >= 254 / digit_bits + 3);
static_assert(float_product_digits.count >= 2 * 254 / digit_bits + 4);
static_assert(double_digits.count >= 2046 / digit_bits + 5);
static_assert(double_product_digits.count >= 2 * 2046 / digit_bits + 8);

/// Terms that a thread may add between two calls of fold_digits: a digit overflows after 2^15 additions of at
/// most 2^16, by one lane (or two) of every warp.
template <int Threads, int Copies>
inline constexpr int max_spills_per_fold = (1 << 15) / (Threads / Copies);

__device__ __forceinline__ unsigned biased_exponent(float t) { return __float_as_uint(t) >> 23 & 0xffu; }
__device__ __forceinline__ unsigned biased_exponent(double t) { return high_bits(t) >> 20 & 0x7ffu; }

/// Tracks whether all observed numbers are normal: none zero, subnormal, infinite or NaN.
template <class Number>
class AllNormal {
 public:
  __device__ __forceinline__ void observe(float t) {
    largest_ = max(largest_, (__float_as_uint(t) << 1) - (1u << 24));
  }
  __device__ __forceinline__ void observe(double t) {
    largest_ = max(largest_, (high_bits(t) << 1) - (1u << 21));
  }
  __device__ __forceinline__ explicit operator bool() const {
    return largest_ < (std::is_same_v<Number, float> ? 254u << 24 : 2046u << 21);
  }

 private:
  unsigned largest_ = 0;
};

/// A finite number as +-magnitude * 2^(position + first_exponent of its DigitRange); `sign` is -1 if it is
/// negative, else 0.
template <class Magnitude>
struct Parts {
  int sign;
  Magnitude magnitude;
  unsigned position;
};
template <bool IsNormal>
__device__ __forceinline__ Parts<unsigned> parts_of(float t) {
  const unsigned field = biased_exponent(t);
  const unsigned hidden = IsNormal || field != 0 ? 1u << 23 : 0;
  return {__float_as_int(t) >> 31, (__float_as_uint(t) & 0x7fffffu) | hidden,
          IsNormal ? field : max(field, 1u)};
}
template <bool IsNormal>
__device__ __forceinline__ Parts<std::uint64_t> parts_of(double t) {
  const unsigned field = biased_exponent(t);
  const unsigned hidden = IsNormal || field != 0 ? 1u << 20 : 0;
  return {__double2hiint(t) >> 31, std::uint64_t{(high_bits(t) & 0xfffffu) | hidden} << 32 | low_bits(t),
          IsNormal ? field : max(field, 1u)};
}

/// The product of two 53-bit significands.
__device__ __forceinline__ Uint128 product(std::uint64_t x, std::uint64_t y) {
  const auto low = [](std::uint64_t z) { return std::uint64_t{static_cast<unsigned>(z)}; };
  const std::uint64_t bottom = low(x) * low(y);
  const std::uint64_t middle = (x >> 32) * low(y) + (low(x) * (y >> 32) + (bottom >> 32));  // below 2^55
  const std::uint64_t top = (x >> 32) * (y >> 32) + (middle >> 32);
  return static_cast<Uint128>(top) << 64 | (middle << 32 | low(bottom));
}

/// Where one thread spills the terms of one sum.
template <DigitRange Range, int Copies>
class Spill {
 public:
  /// `digits` are those of all lanes.
  __device__ Spill(int* digits, Word* specials) : Spill(digits, lane() % Copies, specials) {}
  __device__ Spill(int* digits, int column, Word* specials) : column_(digits + column), special_(specials) {}

  /// Adds value * 2^exponent.
  __device__ __noinline__ void add(std::int64_t value, int exponent) const {
    add_digits<5>(static_cast<unsigned>(exponent - Range.first_exponent),
                  words(static_cast<std::uint64_t>(value)));
  }
  /// Adds a number; `IsNormal` promises that it is normal.
  template <bool IsNormal = false>
  __device__ __forceinline__ void add(float t) const {
    static_assert(Range.first_exponent == float_digits.first_exponent);
    if (!IsNormal && t == 0) return;
    if (!IsNormal && biased_exponent(t) == 0xffu) return add_special(t);
    const auto x = parts_of<IsNormal>(t);
    add_digits<3>(x.position, Words<1>{with_sign(x.magnitude, x.sign)});
  }
  template <bool IsNormal = false>
  __device__ __forceinline__ void add(double t) const {
    constexpr int offset = double_digits.first_exponent - Range.first_exponent;
    static_assert(offset >= 0);
    if (!IsNormal && t == 0) return;
    if (!IsNormal && biased_exponent(t) == 0x7ffu) return add_special(t);
    const auto x = parts_of<IsNormal>(t);
    add_digits<5>(x.position + offset, words(with_sign(x.magnitude, x.sign)));
  }
  /// Adds the product of two numbers; `AreNormal` promises that both are normal.
  template <bool AreNormal = false>
  __device__ __forceinline__ void add_product(float a, float b) const {
    static_assert(Range.first_exponent == float_product_digits.first_exponent);
    if (!AreNormal && (biased_exponent(a) == 0xffu || biased_exponent(b) == 0xffu))
      return add_special(__dmul_rn(a, b));
    if (!AreNormal && (a == 0 || b == 0)) return;
    const auto x = parts_of<AreNormal>(a), y = parts_of<AreNormal>(b);
    const std::uint64_t magnitude = std::uint64_t{x.magnitude} * y.magnitude;
    add_digits<4>(x.position + y.position, words(with_sign(magnitude, x.sign ^ y.sign)));
  }
  template <bool AreNormal = false>
  __device__ __forceinline__ void add_product(double a, double b) const {
    static_assert(Range.first_exponent == double_product_digits.first_exponent);
    if (!AreNormal && (biased_exponent(a) == 0x7ffu || biased_exponent(b) == 0x7ffu))
      return add_special(__dmul_rn(a, b));
    if (!AreNormal && (a == 0 || b == 0)) return;
    const auto x = parts_of<AreNormal>(a), y = parts_of<AreNormal>(b);
    const Uint128 number = with_sign(product(x.magnitude, y.magnitude), x.sign ^ y.sign);
    const Words<2> low = words(static_cast<std::uint64_t>(number)),
                   high = words(static_cast<std::uint64_t>(number >> 64));
    add_digits<8>(x.position + y.position, Words<4>{low.word[0], low.word[1], high.word[0], high.word[1]});
  }

 private:
  /// A number in two's complement.
  template <int Count>
  struct Words {
    unsigned word[Count];
    __device__ __forceinline__ unsigned at(int i) const {
      if (i < 0) return 0;
      return i < Count ? word[i] : static_cast<unsigned>(static_cast<int>(word[Count - 1]) >> 31);
    }
  };
  template <class Magnitude>
  static __device__ __forceinline__ Magnitude with_sign(Magnitude x, int sign) {
    const auto mask = static_cast<Magnitude>(static_cast<std::int64_t>(sign));  // sign-extended
    return (x ^ mask) - mask;
  }
  static __device__ __forceinline__ Words<2> words(std::uint64_t x) {
    return {static_cast<unsigned>(x), static_cast<unsigned>(x >> 32)};
  }

  /// Adds number * 2^(position + first_exponent); the last digit carries its sign.
  template <int Digits, int Count>
  __device__ __forceinline__ void add_digits(unsigned position, const Words<Count>& number) const {
    int* const digit = column_ + position / digit_bits * static_cast<unsigned>(Copies);
#pragma unroll
    for (int i = 0; i < Digits; i += 2) {
      const auto two =
          static_cast<int>(__funnelshift_l(number.at(i / 2 - 1), number.at(i / 2), position % digit_bits));
      atomicAdd(digit + i * Copies, i == Digits - 1 ? two : two & 0xffff);
      if (i == Digits - 2)
        atomicAdd(digit + (i + 1) * Copies, two >> digit_bits);
      else if (i < Digits - 2)
        atomicAdd(digit + (i + 1) * Copies, static_cast<int>(static_cast<unsigned>(two) >> digit_bits));
    }
  }
  /// Counts a NaN, +inf or -inf. Threads that count the same kind elect one to add for all: a vector of NaN
  /// would serialise the atomics.
  __device__ void add_special(double t) const {
    Word* const count = special_ + (t != t ? 0 : t > 0 ? 1 : 2);
    const unsigned peers = __match_any_sync(__activemask(), reinterpret_cast<std::uintptr_t>(count));
    if (lane() == __ffs(static_cast<int>(peers)) - 1) atomicAdd(count, Word(__popc(peers)));
  }

  int* column_;
  Word* special_;
};

/// Moves digits to the block's limbs. All threads call, between two barriers.
template <int Threads, int Copies>
__device__ void fold_digits(int* digit, DigitRange range, Word* limb) {
#pragma unroll 1
  for (int i = warp(); i < range.count; i += Threads / 32) {
    int& slot = digit[i * Copies + lane() % Copies];
    const int own = lane() < Copies ? slot : 0;
    if (!__any_sync(all_lanes, own != 0)) continue;
    slot = 0;
    const std::int64_t sum = warp_sum(std::int64_t{own});
    if (lane() == 0) add_to_limbs(limb, sum, range.first_exponent + digit_bits * i);
  }
}

}  // namespace foldline::cuda
