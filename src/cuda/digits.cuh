// What the windows of a block's threads do not hold, as digits in shared memory.
//
// A digit of 16 bits weight is an unsigned number of the block's, several times over: of positive terms and
// of negative ones, and some copies of these, so that lanes which add to the same digit seldom wait for each
// other, whatever the data. An addition takes the same five atomic operations for every exponent.
#pragma once

#include <cstdint>

#include "arithmetic/floating_point.hpp"
#include "arithmetic/limbs.hpp"
#include "cuda/block.cuh"
#include "cuda/block_limbs.cuh"
#include "cuda/lane.cuh"

namespace foldline::cuda {

/// The exponent of the last place of the largest doubles.
inline constexpr int largest_last_place = exponent_bias - fraction_bits;

inline constexpr int digit_bits = 16;
inline constexpr int digit_copies = 16;

/// Where the digits of sums of values or products begin, at a limb, and how many there are.
struct DigitRange {
  int first_exponent, count;
};
inline constexpr DigitRange value_digits{first_exponent + 33 * 32, 140};
inline constexpr DigitRange product_digits{first_exponent, 2 * word_count};
// From the last places of the smallest terms to five digits from the largest's, nine of products.
static_assert(value_digits.first_exponent <= smallest_exponent);
static_assert(value_digits.first_exponent + digit_bits * (value_digits.count - 5) >= largest_last_place);
static_assert(product_digits.first_exponent + digit_bits * (product_digits.count - 9) >=
              2 * largest_last_place);

/// What a thread may add between two calls of fold_digits: a column of digits takes 2^16 additions before it
/// overflows, of up to four lanes of a warp.
template <int Threads>
inline constexpr int max_spills_per_fold = (1 << 16) / (Threads / 32 * 32 / (digit_copies / 2));

/// Where one thread spills terms of one sum to.
class Spill {
 public:
  __device__ Spill(unsigned* digits, int first_digit_exponent, Word* specials)
      : column_(digits + 2 * lane() % digit_copies), first_(first_digit_exponent), special_(specials) {}

  /// Adds +-magnitude * 2^exponent.
  __device__ void add(bool negative, std::uint64_t magnitude, int exponent) const {
    const int position = exponent - first_;
    const int shift = position % digit_bits;
    unsigned* const digit = at(negative, position / digit_bits);
    add_four(digit, magnitude << shift);
    add_one(digit + 4 * digit_copies, shift == 0 ? 0 : static_cast<unsigned>(magnitude >> (64 - shift)));
  }
  __device__ void add(bool negative, Uint128 magnitude, int exponent) const {
    const int position = exponent - first_;
    const int shift = position % digit_bits;
    const Uint128 low = magnitude << shift;
    unsigned* const digit = at(negative, position / digit_bits);
    add_four(digit, static_cast<std::uint64_t>(low));
    add_four(digit + 4 * digit_copies, static_cast<std::uint64_t>(low >> 64));
    add_one(digit + 8 * digit_copies, shift == 0 ? 0 : static_cast<unsigned>(magnitude >> (128 - shift)));
  }
  __device__ void add(std::int64_t value, int exponent) const {
    const auto bits = static_cast<std::uint64_t>(value);
    add(value < 0, value < 0 ? ~bits + 1 : bits, exponent);
  }
  __device__ void add(double t) const {
    if (!is_finite(t)) return add_special(t);
    const Decomposed parts = decompose(t);
    add(parts.negative, parts.significand, parts.exponent);
  }
  __device__ void add_product(double a, double b) const {
    if (!is_finite(a) || !is_finite(b)) return add_special(__dmul_rn(a, b));
    const Decomposed x = decompose(a), y = decompose(b);
    add(x.negative != y.negative, static_cast<Uint128>(x.significand) * y.significand,
        x.exponent + y.exponent);
  }

 private:
  __device__ unsigned* at(bool negative, int place) const {
    return column_ + place * digit_copies + (negative ? 1 : 0);
  }
  static __device__ void add_one(unsigned* digit, unsigned value) {
    if (value != 0) atomicAdd(digit, value);
  }
  static __device__ void add_four(unsigned* digit, std::uint64_t four) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      atomicAdd(digit + i * digit_copies, static_cast<unsigned>(four >> (digit_bits * i)) & 0xffffu);
  }
  /// Counts NaN, +inf or -inf. Threads that count the same leave it to one of them: a vector of NaN would
  /// stand in line otherwise.
  __device__ void add_special(double t) const {
    const int kind = t != t ? 0 : t > 0 ? 1 : 2;
    const unsigned peers = __match_any_sync(__activemask(), kind);
    if (lane() == __ffs(static_cast<int>(peers)) - 1) atomicAdd(special_ + kind, Word(__popc(peers)));
  }

  unsigned* column_;
  int first_;
  Word* special_;
};

/// Moves digits to the block's limbs; all its threads call, after a barrier and before another.
template <int Threads>
__device__ void fold_digits(unsigned* digit, DigitRange range, Word* limb) {
  constexpr int digits_per_warp = 32 / digit_copies;
  static_assert(digits_per_warp * digit_bits == 32);  // a limb
  limb += (range.first_exponent - first_exponent) / 32;
  for (int i = warp(); i < range.count / digits_per_warp; i += Threads / 32) {
    unsigned* const place = digit + i * 32 + lane();
    std::int64_t sum = *place;
    if (!__any_sync(all_lanes, sum != 0)) continue;
    *place = 0;
    if (lane() % 2 != 0) sum = -sum;
    for (int distance = digit_copies / 2; distance > 0; distance /= 2)
      sum += __shfl_xor_sync(all_lanes, sum, distance);
    const std::int64_t high = __shfl_down_sync(all_lanes, sum, digit_copies);
    if (lane() == 0) limb[i] += static_cast<Word>(sum + (high << digit_bits));
  }
}

}  // namespace foldline::cuda
