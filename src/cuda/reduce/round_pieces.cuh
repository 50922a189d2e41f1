// Rounds a sum from the totals of its pieces, if all blocks had the same window. A single thread does it
// while all else waits, so the code avoids loops and branches and uses 32-bit words.
#pragma once

#include <utility>

#include "cuda/reduce/kernel_sums.cuh"
#include "cuda/reduce/round_result.cuh"

namespace foldline::cuda {

/// Calls f.operator()<i>() for i from 0 to Count - 1.
template <int Count, class F>
__device__ __forceinline__ void for_each_constant(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f.template operator()<I>(), ...);
  }(std::make_integer_sequence<int, Count>());
}

/// The exponent of a count's piece.
template <class Sum>
constexpr __device__ __forceinline__ int exponent_of_piece(int piece, int window) {
  return Sum::unit(window, piece / pieces_per_level) + piece % pieces_per_level * piece_bits;
}

/// A positive number as its leading 128 bits, the highest of which is set, and a flag for lower bits.
struct LeadingWords {
  Uint128 bits;
  int exponent;
  bool sticky;
};

/// The leading words of a non-zero number, from its digits in units of 2^exponent.
template <int Digits>
__device__ __forceinline__ LeadingWords leading_words(std::uint32_t (&digit)[Digits], int exponent) {
  constexpr int first_step = Digits > 8 ? 8 : 4;
  static_assert(Digits > 3 && Digits <= 16);
#pragma unroll
  for (int step = first_step; step > 0; step /= 2) {
    std::uint32_t any = 0;
#pragma unroll
    for (int i = max(0, Digits - step); i < Digits; ++i) any |= digit[i];
    const bool moves = any == 0;
#pragma unroll
    for (int i = Digits - 1; i >= 0; --i) {
      const std::uint32_t below = i >= step ? digit[i >= step ? i - step : 0] : 0;
      digit[i] = moves ? below : digit[i];
    }
    exponent -= moves ? 32 * step : 0;
  }
  const int zeros = __clz(static_cast<int>(digit[Digits - 1]));
  const auto word = [&](int i) {  // 0 is the highest
    const std::uint32_t below = Digits - 2 - i >= 0 ? digit[max(0, Digits - 2 - i)] : 0;
    return __funnelshift_l(below, digit[Digits - 1 - i], zeros);
  };
  std::uint32_t rest = Digits > 4 ? digit[max(0, Digits - 5)] << zeros : 0;
#pragma unroll
  for (int i = 0; i < Digits - 5; ++i) rest |= digit[i];
  const Uint128 bits = static_cast<Uint128>(std::uint64_t{word(0)} << 32 | word(1)) << 64 |
                       (std::uint64_t{word(2)} << 32 | word(3));
  return {bits, exponent + 32 * (Digits - 4) - zeros, rest != 0};
}

/// The same for the quotient by a number below 2^32, whose leading bits are elsewhere than the dividend's.
__device__ __forceinline__ LeadingBits leading_of_quotient(const LeadingWords& a, std::uint32_t divisor) {
  Uint128 quotient = 0;
  std::uint64_t remainder = 0;
#pragma unroll
  for (int i = 3; i >= 0; --i) {
    const std::uint64_t dividend = remainder << 32 | static_cast<std::uint32_t>(a.bits >> (32 * i));
    quotient = quotient << 32 | static_cast<std::uint32_t>(dividend / divisor);
    remainder = dividend % divisor;
  }
  LeadingBits leading = leading_bits(quotient, a.exponent);
  leading.sticky |= a.sticky || remainder != 0;
  return leading;
}

/// The number as an integer. `is_integer` is also false if only a longer number could tell.
__device__ __forceinline__ TruncatedInteger to_integer(bool negative, const LeadingWords& a) {
  if (a.exponent > 0 || a.exponent <= -128) return {negative, 0, false, false};
  const Uint128 magnitude = a.bits >> -a.exponent;
  return {negative, static_cast<std::uint64_t>(magnitude), static_cast<std::uint64_t>(magnitude >> 64) != 0,
          !a.sticky && magnitude << -a.exponent == a.bits};
}

/// True if kernels with these sums have operations that round_leading knows: the result is one sum, its root,
/// or its mean.
template <class Sums>
inline constexpr bool have_one_sum = Sums::count == 1 && !Sums::extrema;
/// True if the operation is one of these.
template <class Sums>
__device__ __forceinline__ bool needs_one_sum(Operation operation) {
  return have_one_sum<Sums> && operation != Operation::root_mean_square;
}

/// Rounds and stores a non-zero number as the result of a task. Returns false if the result is no function of
/// one sum that is cheap here, such as a root of a mean, or if its integer type may not hold it.
template <class Sums>
__device__ __forceinline__ bool round_leading(bool negative, const LeadingWords& magnitude,
                                              const ResultTask& task) {
  const Operation operation = task.result.operation;
  if (!needs_one_sum<Sums>(operation)) return false;
  const bool is_root = computes<Sums, Operation::two_norm> && operation == Operation::two_norm,
             is_mean = computes<Sums, Operation::mean> && operation == Operation::mean;
  if (task.is_integer) {
    const TruncatedInteger value = to_integer(negative, magnitude);
    if (is_root || is_mean || !value.is_integer || !(task.wrap || fits(value, task.integer_format)))
      return false;
    store_bits(task.result.out, wrapped(value, task.integer_format), task.bytes);
    return true;
  }
  LeadingBits leading;
  if (is_root)
    leading = leading_root(magnitude.bits, magnitude.exponent, magnitude.sticky);
  else if (is_mean)
    leading = leading_of_quotient(magnitude, static_cast<std::uint32_t>(task.count));
  else
    leading = {static_cast<std::uint64_t>(magnitude.bits >> 64), magnitude.exponent + 64,
               magnitude.sticky || static_cast<std::uint64_t>(magnitude.bits) != 0};
  store_bits(task.result.out, encoded(round(negative, leading, task.format), task.result.type), task.bytes);
  return true;
}

/// Rounds and stores a sum from the totals of its pieces. Returns false if the sum is zero, whose sign
/// follows other rules, or round_leading declines it. (In a kernel of its own this takes 2 us more.)
template <class Sums, class Sum>
__device__ __forceinline__ bool round_pieces(const std::int64_t* total, int window, const ResultTask& task) {
  // Totals of pieces are below 2^42, so each spans three words, the last of which carries the sign. Units
  // depend on the window only through its top, so offsets are constants and the words stay in registers. Word
  // after word, so that few totals are live at a time.
  constexpr int lowest = Sum::unit(0, Sum::levels_published - 1);  // of window 0
  constexpr int highest = Sum::unit(0, 0) - lowest + (pieces_per_level - 1) * piece_bits;
  constexpr int words = highest / 32 + 3;
  constexpr int pieces = Sum::levels_published * pieces_per_level;
  std::uint32_t digit[words], any = 0;
  Int128 rest = 0;
  // Not `#pragma unroll`: the compiler leaves loops if there are so many steps, and norms take 8 us, not 1.
  for_each_constant<words>([&]<int i>() {
    for_each_constant<pieces>([&]<int piece>() {
      constexpr int index = exponent_of_piece<Sum>(piece, 0) - lowest;
      if constexpr (index / 32 == i) rest += static_cast<Int128>(total[piece]) * (Int128{1} << (index % 32));
    });
    digit[i] = static_cast<std::uint32_t>(rest);
    rest >>= 32;
  });
  const bool negative = rest < 0;
  std::uint64_t carry = negative;
#pragma unroll
  for (int i = 0; i < words; ++i) {
    carry += digit[i] ^ (negative ? ~0u : 0u);
    digit[i] = static_cast<std::uint32_t>(carry);
    any |= digit[i];
    carry >>= 32;
  }
  if (any == 0) return false;
  return round_leading<Sums>(negative, leading_words(digit, Sum::unit(window, Sum::levels_published - 1)),
                             task);
}

}  // namespace foldline::cuda
