// Exact sums of integers along an axis, and their results by intervals, as of sums in doubles.
//
// Elements without sign are seen as signed ones, less half of their range (`flip` inverts their first bits):
// that leaves a variance as it is, and is put back into other sums.
#pragma once

#include <cstring>

#include "arithmetic/int128.hpp"
#include "cuda/axis/axis_task.hpp"
#include "cuda/axis/bounded_result.cuh"
#include "cuda/axis/extremum.cuh"
#include "cuda/exact/int192.cuh"

namespace foldline::cuda {

/// How a word's elements become signed ones.
struct Recoding {
  unsigned flip;    // of a 64-bit element, in its upper word
  bool is_boolean;  // of a byte

  template <class T>
  __device__ __forceinline__ unsigned of(unsigned word) const {
    if constexpr (sizeof(T) == 1)
      if (is_boolean) return __vsetne4(word, 0);
    return word ^ flip;
  }
};

/// The element that becomes 0.
template <class T>
__device__ __forceinline__ BitsOf<T> zero_bits(unsigned flip) {
  if constexpr (sizeof(T) == 8)
    return static_cast<std::uint64_t>(flip) << 32;
  else
    return static_cast<BitsOf<T>>(flip);
}

/// 128 bits without padding behind shorter numbers.
template <class Integer>
struct Words128 {
  std::uint64_t low = 0, high = 0;

  __device__ __forceinline__ operator Integer() const {
    return static_cast<Integer>(static_cast<Uint128>(high) << 64 | low);
  }
  __device__ __forceinline__ void operator+=(Integer x) {
    const auto sum = static_cast<Uint128>(static_cast<Integer>(*this) + x);
    low = static_cast<std::uint64_t>(sum);
    high = static_cast<std::uint64_t>(sum >> 64);
  }
};
/// The number with the bits of a lane at a distance.
__device__ __forceinline__ std::int64_t lane_of(std::int64_t x, int distance) {
  return __shfl_xor_sync(0xffffffffu, x, distance);
}
__device__ __forceinline__ std::uint64_t lane_of(std::uint64_t x, int distance) {
  return __shfl_xor_sync(0xffffffffu, x, distance);
}
template <class Integer>
__device__ __forceinline__ Words128<Integer> lane_of(const Words128<Integer>& x, int distance) {
  return {lane_of(x.low, distance), lane_of(x.high, distance)};
}
__device__ __forceinline__ Int192 lane_of(const Int192& x, int distance) {
  return {lane_of(x.word[0], distance), lane_of(x.word[1], distance), lane_of(x.word[2], distance)};
}

/// The sums of x or, for Terms::spread, of x and x^2, of elements of the signed type T.
template <class T, Terms Which>
struct IntegerSums {
  using Element = T;
  static constexpr bool takes_first = false, can_try_again = false;
  static constexpr bool has_squares = Which == Terms::spread;
  // Of up to 2^31 elements.
  using Value = std::conditional_t<sizeof(T) == 8, Int128, std::int64_t>;
  using Square =
      std::conditional_t<sizeof(T) == 8, Int192, std::conditional_t<sizeof(T) == 4, Uint128, std::uint64_t>>;

  std::conditional_t<sizeof(T) == 8, Words128<Int128>, std::int64_t> values{};
  std::conditional_t<sizeof(T) == 4, Words128<Uint128>, Square> squares{};

  /// Adds the elements of words, at most 128 of one byte.
  template <int Words>
  __device__ __forceinline__ void add_words(const unsigned (&word)[Words], const Recoding& recoding) {
    if constexpr (sizeof(T) == 8) {
#pragma unroll
      for (int i = 0; i < Words; i += 2) add(signed_64(word[i], word[i + 1] ^ recoding.flip));
    } else {
      unsigned signed_word[Words];
#pragma unroll
      for (int i = 0; i < Words; ++i) signed_word[i] = recoding.template of<T>(word[i]);
      add_signed(signed_word);
    }
  }
  /// The same of signed ones.
  template <int Words>
  __device__ __forceinline__ void add_signed(const unsigned (&word)[Words]) {
    if constexpr (sizeof(T) == 1) {
      static_assert(Words <= 32);
      int sum = 0, sum_of_squares = 0;  // at most 2^21
#pragma unroll
      for (int i = 0; i < Words; ++i) {
        const auto x = static_cast<int>(word[i]);
        sum = __dp4a(x, 0x01010101, sum);
        if constexpr (has_squares) sum_of_squares = __dp4a(x, x, sum_of_squares);
      }
      values += sum;
      if constexpr (has_squares) squares += static_cast<unsigned>(sum_of_squares);
    } else if constexpr (sizeof(T) == 2) {
      int sum = 0;
#pragma unroll
      for (int i = 0; i < Words; ++i) {
        const int low = static_cast<std::int16_t>(word[i]), high = static_cast<int>(word[i]) >> 16;
        sum += low + high;
        if constexpr (has_squares)
          squares += static_cast<unsigned>(low * low) + static_cast<unsigned>(high * high);
      }
      values += sum;
    } else {
#pragma unroll
      for (int i = 0; i < Words; i += 2) {
        const std::int64_t x = static_cast<int>(word[i]),
                           y = i + 1 < Words ? static_cast<int>(word[i + 1]) : 0;
        values += x + y;
        if constexpr (has_squares)
          squares += static_cast<std::uint64_t>(x * x) + static_cast<std::uint64_t>(y * y);
      }
    }
  }
  __device__ __forceinline__ void add(T x) {
    values += x;
    if constexpr (has_squares) squares += int192_of(static_cast<Uint128>(static_cast<Int128>(x) * x));
  }

  __device__ __forceinline__ void merge(const IntegerSums& other) {
    values += static_cast<Value>(other.values);
    if constexpr (has_squares) squares += static_cast<Square>(other.squares);
  }
  __device__ __forceinline__ void merge_lane(int distance) {
    IntegerSums other;
    other.values = lane_of(values, distance);
    if constexpr (has_squares) other.squares = lane_of(squares, distance);
    merge(other);
  }

  static __device__ __forceinline__ std::int64_t signed_64(unsigned low, unsigned high) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(high) << 32 | low);
  }
};

template <class Sums>
inline constexpr bool takes_integers = std::is_integral_v<typename Sums::Element>;
/// Whether words hold whole elements, so that sums take any number of words.
template <class Sums>
inline constexpr bool has_words = takes_integers<Sums> && sizeof(typename Sums::Element) <= 4;

/// Adds rows of neighbouring columns to the sums of each; Row is a ColumnRow.
template <class T, Terms Which, int Columns, class Row, int Count>
__device__ __forceinline__ void add_columns(IntegerSums<T, Which> (&sums)[Columns], const Row (&rows)[Count],
                                            const Recoding& recoding) {
  if constexpr (sizeof(T) == 1) {
    static_assert(Columns == 4 && Count % 4 == 0);
    unsigned column[4][Count / 4];
#pragma unroll
    for (int i = 0; i < Count / 4; ++i) {
      unsigned word[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) word[k] = recoding.template of<T>(rows[4 * i + k].words);
      const unsigned a = __byte_perm(word[0], word[1], 0x5140), b = __byte_perm(word[2], word[3], 0x5140),
                     c = __byte_perm(word[0], word[1], 0x7362), d = __byte_perm(word[2], word[3], 0x7362);
      column[0][i] = __byte_perm(a, b, 0x5410);
      column[1][i] = __byte_perm(a, b, 0x7632);
      column[2][i] = __byte_perm(c, d, 0x5410);
      column[3][i] = __byte_perm(c, d, 0x7632);
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) sums[c].add_signed(column[c]);
  } else {
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      if constexpr (sizeof(T) == 8) {
#pragma unroll
        for (int i = 0; i < Count; ++i)
          sums[c].add(static_cast<std::int64_t>(rows[i].of(c) ^ zero_bits<T>(recoding.flip)));
      } else if constexpr (sizeof(T) == 4) {
        unsigned word[Count];
#pragma unroll
        for (int i = 0; i < Count; ++i) word[i] = rows[i].of(c) ^ recoding.flip;
        sums[c].add_signed(word);
      } else {
        static_assert(Count % 2 == 0);
        unsigned word[Count / 2];
#pragma unroll
        for (int i = 0; i < Count / 2; ++i)
          word[i] = (rows[2 * i].of(c) | static_cast<unsigned>(rows[2 * i + 1].of(c)) << 16) ^ recoding.flip;
        sums[c].add_signed(word);
      }
    }
  }
}

/// A number of 32 bits times 2^Exponent, exactly.
template <int Exponent>
__device__ __forceinline__ double scaled_word(unsigned word) {
  constexpr int high = (1023 + 52 + Exponent) << 20;
  return __dadd_rn(__hiloint2double(high, static_cast<int>(word)), -__hiloint2double(high, 0));
}

/// A number below 2^51, exactly.
__device__ __forceinline__ double small_double(std::int64_t x) {
  return __dadd_rn(from_bits(bits_of(0x1.8p52) + static_cast<std::uint64_t>(x)), -0x1.8p52);
}

/// Exact below 2^105.
__device__ __forceinline__ Interval interval_of(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  const SumAndError<double> top = TwoSum(scaled_word<96>(static_cast<unsigned>(high >> 32)),
                                         scaled_word<64>(static_cast<unsigned>(high)));
  const SumAndError<double> bottom =
      TwoSum(scaled_word<32>(static_cast<unsigned>(low >> 32)), scaled_word<0>(static_cast<unsigned>(low)));
  const SumAndError<double> sum = TwoSum(top.sum, bottom.sum);
  const SumAndError<double> rest = TwoSum(sum.error, bottom.error), more = TwoSum(rest.sum, top.error);
  const SumAndError<double> all = TwoSum(sum.sum, more.sum);
  return {all.sum, all.error, 2 * (fabs(rest.error) + fabs(more.error))};
}
__device__ __forceinline__ Interval interval_of(Int128 x) {
  const Interval size = interval_of(magnitude(x));
  return x < 0 ? Interval{-size.value, -size.rest, size.bound} : size;
}
__device__ __forceinline__ Interval interval_of(std::int64_t x) {
  constexpr int high = (1023 + 52 + 32) << 20;
  const auto upper = static_cast<int>(static_cast<unsigned>(x >> 32) ^ 0x80000000u);
  const double offset = __hiloint2double(high, static_cast<int>(0x80000000u));
  const SumAndError<double> sum =
      TwoSum(__dadd_rn(__hiloint2double(high, upper), -offset), scaled_word<0>(static_cast<unsigned>(x)));
  return {sum.sum, sum.error, 0};
}

/// A whole number as a result of an integer type; false if that cannot hold it.
__device__ __forceinline__ bool integer_bits(const AxisTask& task, Int128 x, std::uint64_t& bits) {
  const Uint128 size = magnitude(x);
  const TruncatedInteger value{x < 0, static_cast<std::uint64_t>(size),
                               static_cast<std::uint64_t>(size >> 64) != 0, true};
  bits = wrapped(value, task.integer_format);
  return task.wrap || fits(value, task.integer_format);
}

/// Not negative; exact below 2^104.
__device__ __forceinline__ Interval interval_of(const Int192& x) {
  const int below = max(bit_length(x) - 104, 0);
  const Interval upper = interval_of(Uint128{shift_right(x, below + 64)} << 64 | shift_right(x, below));
  const double scale = power_of_two(below);
  return {upper.value * scale, upper.rest * scale, is_multiple(x, below) ? 0 : scale};
}

/// The sum of the squares of n elements, before `bias` was taken from each.
template <class T>
__device__ __forceinline__ Interval sum_of_squares(const IntegerSums<T, Terms::spread>& sums, int n,
                                                   Int128 bias) {
  if constexpr (sizeof(T) == 8) {
    if (bias == 0) return interval_of(sums.squares);
    const Uint128 squares = Uint128{static_cast<unsigned>(n)} << 62;  // of biases, by 2^64
    return interval_of(
        sums.squares + Int192{0, sums.values.low, sums.values.high} +
        Int192{0, static_cast<std::uint64_t>(squares), static_cast<std::uint64_t>(squares >> 64)});
  } else {
    using Square = typename IntegerSums<T, Terms::spread>::Square;
    return interval_of(static_cast<Uint128>(static_cast<Int128>(Uint128{static_cast<Square>(sums.squares)}) +
                                            2 * bias * sums.values + n * bias * bias));
  }
}

/// n times the sum of squares of n elements less the square of their sum.
template <class T>
__device__ __forceinline__ Interval spread_of(const IntegerSums<T, Terms::spread>& sums, int n) {
  // As long as the terms are doubles.
  constexpr int few = sizeof(T) == 1 ? 1 << 19 : sizeof(T) == 2 ? 1 << 11 : 0;
  if constexpr (sizeof(T) == 8) {
    return interval_of(product(sums.squares, static_cast<unsigned>(n)) -
                       square(magnitude(static_cast<Int128>(sums.values))));
  } else {
    using Square = typename IntegerSums<T, Terms::spread>::Square;
    if (n <= few) {
      const double sum = small_double(sums.values);
      const double squares = small_double(static_cast<std::int64_t>(static_cast<Square>(sums.squares)));
      return {__fma_rn(n, squares, -__dmul_rn(sum, sum)), 0, 0};
    }
    const auto size = static_cast<std::uint64_t>(sums.values < 0 ? -sums.values : sums.values);
    return interval_of(Uint128{static_cast<Square>(sums.squares)} * static_cast<unsigned>(n) -
                       static_cast<Uint128>(size) * size);
  }
}

/// The result of an operation on n integers of these sums as bits; false if that is uncertain, or no number
/// of an integer type. `bias`: what was taken from each element.
template <class T, Terms Which>
__device__ __forceinline__ bool integer_result(const AxisTask& task, const BoundedTask& bounded, int n,
                                               const IntegerSums<T, Which>& sums, std::uint64_t& bits) {
  using Value = typename IntegerSums<T, Which>::Value;
  const Value bias = task.direct.flip == 0 ? Value{0} : Value{1} << (8 * sizeof(T) - 1);
  Interval result;
  if constexpr (Which == Terms::values) {
    const Value sum = static_cast<Value>(sums.values) + n * bias;
    if (task.is_integer) return integer_bits(task, sum, bits);
    if constexpr (sizeof(T) <= 2)
      result = {small_double(sum), 0, 0};
    else
      result = interval_of(sum);
    if (task.operation == Operation::mean) result = divided(result, bounded.count);
  } else {
    if (task.operation == Operation::two_norm || task.operation == Operation::root_mean_square)
      result = sum_of_squares(sums, n, bias);
    else
      result = variance_of(spread_of(sums, n), bounded);
    if (task.operation == Operation::root_mean_square || task.operation == Operation::standard_error)
      result = divided(result, bounded.count);
    if (task.operation != Operation::variance && result.value != 0) {
      if (!(result.value > 0 && result.bound < result.value * 0x1p-30)) return false;
      result = root_of(result);
    }
  }
  return round_interval(result, task.out_type, bits);
}

}  // namespace foldline::cuda
