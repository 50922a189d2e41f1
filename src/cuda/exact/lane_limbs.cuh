// Limbs of each lane's own, for runs of doubles that no window holds.
//
// A term is a shifted integer that is added, with carries, to 32-bit words in shared memory (after the small
// superaccumulator of Neal, "Fast Exact Summation Using Small and Large Superaccumulators", 2015). A lane's
// words lie in a bank of its own and no other lane adds to them, so neither atomic operations nor bank
// conflicts occur. Digits (digits.cuh) take five atomic additions for a double and eight for a square, some
// five cycles of a multiprocessor each; limbs take three or five words.
// each; here it is three words or five.
#pragma once

#include <cstdint>

#include "cuda/device/block.cuh"
#include "cuda/exact/digits.cuh"

namespace foldline::cuda {

/// True if terms are numbers of either sign, false if they are squares.
template <DigitRange Range>
inline constexpr bool has_signs = Range.first_exponent == double_digits.first_exponent;

/// For doubles or their squares, by the range of their digits.
template <DigitRange Range>
class LaneLimbs {
 public:
  static_assert(has_signs<Range> || Range.first_exponent == double_product_digits.first_exponent);
  static constexpr int word_bits = 32;
  /// Words of a lane: room for all terms and 2^63 of the largest. Signed terms use one half for each sign.
  static constexpr int words = 136, words_of_sign = has_signs<Range> ? words / 2 : words;
  static constexpr int words_of_warp = 32 * words;
  static_assert(words_of_sign * word_bits >= (has_signs<Range> ? 1 : 2) * (2046 + 53) + 63);

  /// Clears the limbs of a warp.
  explicit __device__ __forceinline__ LaneLimbs(unsigned* of_warp) : word_(of_warp + lane()) {
    for (int i = 0; i < words; ++i) word_[i * 32] = 0;
  }

  /// Adds one finite term, except for the rare carry out of its last word, which add_carry adds later: so the
  /// next term need not wait for it, and there is no branch between terms. `IsNormal` promises a normal
  /// number.
  class Addition {
   public:
    __device__ __forceinline__ void begin(const LaneLimbs& limbs) { target_ = limbs.word_; }

    template <bool IsNormal>
    __device__ __forceinline__ void add(double t) {
      static_assert(has_signs<Range>);
      const auto x = parts_of<IsNormal>(t);
      const auto low = static_cast<unsigned>(x.magnitude), high = static_cast<unsigned>(x.magnitude >> 32);
      const unsigned shift = x.position % word_bits;
      target_ += (x.position / word_bits + (static_cast<unsigned>(x.sign) & words_of_sign)) * 32;
      add_words({low << shift, __funnelshift_l(low, high, shift), __funnelshift_l(high, 0u, shift)});
    }
    /// Adds the square of a number.
    template <bool IsNormal>
    __device__ __forceinline__ void add_product(double t, double) {
      static_assert(!has_signs<Range>);
      const auto x = parts_of<IsNormal>(t);
      const std::uint64_t low = static_cast<unsigned>(x.magnitude), high = x.magnitude >> 32;
      const std::uint64_t bottom = low * low;
      const std::uint64_t middle = low * (2 * high) + (bottom >> 32);  // below 2^55
      const std::uint64_t top = high * high + (middle >> 32);
      const unsigned part[] = {static_cast<unsigned>(bottom), static_cast<unsigned>(middle),
                               static_cast<unsigned>(top), static_cast<unsigned>(top >> 32)};
      const unsigned shift = 2 * x.position % word_bits;
      target_ += 2 * x.position / word_bits * 32;
      add_words({part[0] << shift, __funnelshift_l(part[0], part[1], shift),
                 __funnelshift_l(part[1], part[2], shift), __funnelshift_l(part[2], part[3], shift),
                 __funnelshift_l(part[3], 0u, shift)});
    }

    __device__ __forceinline__ bool has_carry() const { return carry_ != 0; }
    __device__ __forceinline__ void add_carry() const {
      if (carry_ == 0) return;
      unsigned* word = target_;
#pragma unroll 1
      while (++*word == 0) word += 32;
    }

   private:
    __device__ __forceinline__ void add_words(const unsigned (&x)[3]) {
      unsigned sum[3];
      read(sum);
      asm("add.cc.u32 %0, %0, %4; addc.cc.u32 %1, %1, %5; addc.cc.u32 %2, %2, %6; addc.u32 %3, 0, 0;"
          : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "=r"(carry_)
          : "r"(x[0]), "r"(x[1]), "r"(x[2]));
      write(sum);
    }
    __device__ __forceinline__ void add_words(const unsigned (&x)[5]) {
      unsigned sum[5];
      read(sum);
      asm("add.cc.u32 %0, %0, %6; addc.cc.u32 %1, %1, %7; addc.cc.u32 %2, %2, %8; addc.cc.u32 %3, %3, %9; "
          "addc.cc.u32 %4, %4, %10; addc.u32 %5, 0, 0;"
          : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "=r"(carry_)
          : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]));
      write(sum);
    }
    template <int Size>
    __device__ __forceinline__ void read(unsigned (&sum)[Size]) const {
#pragma unroll
      for (int i = 0; i < Size; ++i) sum[i] = target_[i * 32];
    }
    /// Also moves on to the word above.
    template <int Size>
    __device__ __forceinline__ void write(const unsigned (&sum)[Size]) {
#pragma unroll
      for (int i = 0; i < Size; ++i) target_[i * 32] = sum[i];
      target_ += Size * 32;
    }

    unsigned* target_;
    unsigned carry_ = 0;
  };

  /// Adds word i of all lanes (`own`) to the block's limbs.
  static __device__ __forceinline__ void move(int i, std::uint64_t own, Word* limb) {
    const auto sum = static_cast<std::uint64_t>(warp_sum(static_cast<std::int64_t>(own)));
    const bool is_negative = i >= words_of_sign;
    if (lane() == 0 && sum != 0)
      add_to_limbs(limb, is_negative, sum,
                   Range.first_exponent + word_bits * (is_negative ? i - words_of_sign : i));
  }

 private:
  unsigned* word_;
};

}  // namespace foldline::cuda
