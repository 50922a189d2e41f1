// The smallest and the largest of a vector's integers, and their results: one of them, or the difference.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "cuda/axis/integer_sums.cuh"

namespace foldline::cuda {

/// Of elements of the signed type T, whose words were recoded. Those of 1 and 2 bytes are compared by 16
/// bits, two at a time, which Hopper does in one instruction: of two bytes the upper one decides, so bytes
/// are compared twice, as they lie and 8 bits higher.
template <class T>
struct IntegerExtrema {
  using Element = T;
  static constexpr bool takes_first = true, can_try_again = false;
  static constexpr bool by_twos = sizeof(T) <= 2;
  using Value = std::conditional_t<sizeof(T) == 8, std::int64_t, int>;
  using Words = std::conditional_t<by_twos, unsigned, Value>;

  Words highest = by_twos ? static_cast<Words>(0x80008000u) : std::numeric_limits<Words>::min();
  Words lowest = by_twos ? static_cast<Words>(0x7fff7fffu) : std::numeric_limits<Words>::max();

  /// Includes two elements of 16 bits, the upper ones of which are their bytes if they have no more, or one.
  __device__ __forceinline__ void include(Words high, Words low) {
    if constexpr (by_twos) {
      highest = __vmaxs2(highest, high);
      lowest = __vmins2(lowest, low);
    } else {
      highest = max(highest, high);
      lowest = min(lowest, low);
    }
  }
  template <int Count>
  __device__ __forceinline__ void add_words(const unsigned (&word)[Count], const Recoding& recoding) {
#pragma unroll
    for (int i = 0; i < Count; i += sizeof(T) == 8 ? 2 : 1) {
      if constexpr (sizeof(T) == 8) {
        const Value x = IntegerSums<T, Terms::values>::signed_64(word[i], word[i + 1] ^ recoding.flip);
        include(x, x);
      } else {
        const unsigned own = recoding.template of<T>(word[i]);
        if constexpr (sizeof(T) == 4) {
          include(static_cast<int>(own), static_cast<int>(own));
        } else {
          include(own, own);
          if constexpr (sizeof(T) == 1) include(own << 8, own << 8);
        }
      }
    }
  }
  __device__ __forceinline__ void merge(const IntegerExtrema& other) { include(other.highest, other.lowest); }
  __device__ __forceinline__ void merge_lane(int distance) {
    IntegerExtrema other;
    other.highest = __shfl_xor_sync(0xffffffffu, highest, distance);
    other.lowest = __shfl_xor_sync(0xffffffffu, lowest, distance);
    merge(other);
  }
  __device__ __forceinline__ Value largest() const {
    if constexpr (!by_twos) return highest;
    return max(half(highest, 0), half(highest, 1));
  }
  __device__ __forceinline__ Value smallest() const {
    if constexpr (!by_twos) return lowest;
    return min(half(lowest, 0), half(lowest, 1));
  }

 private:
  static __device__ __forceinline__ int half(unsigned word, int i) {
    const int value = i == 0 ? static_cast<std::int16_t>(word) : static_cast<int>(word) >> 16;
    return sizeof(T) == 1 ? value >> 8 : value;
  }
};

/// Includes rows of neighbouring columns in the extrema of each; Row is a ColumnRow.
template <class T, int Columns, class Row, int Count>
__device__ __forceinline__ void add_columns(IntegerExtrema<T> (&extrema)[Columns], const Row (&rows)[Count],
                                            const Recoding& recoding) {
  if constexpr (sizeof(T) <= 2) {
    // Those of all rows first, of two columns at a time: bytes 0 and 2, and 1 and 3, or halves of two words.
    static_assert(Columns == 4);
    IntegerExtrema<T> pair[2];
#pragma unroll
    for (const Row& row : rows) {
      unsigned word[sizeof row.words / 4];
      std::memcpy(word, &row.words, sizeof word);
#pragma unroll
      for (unsigned& one : word) one = recoding.template of<T>(one);
      const unsigned first = sizeof(T) == 1 ? word[0] << 8 : word[0], second = word[sizeof word / 4 - 1];
      pair[0].include(first, first);
      pair[1].include(second, second);
    }
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int from = sizeof(T) == 1 ? c % 2 : c / 2;
      const unsigned twice = (sizeof(T) == 1 ? c / 2 : c % 2) == 0 ? 0x1010 : 0x3232;
      extrema[c].include(__byte_perm(pair[from].highest, 0, twice), __byte_perm(pair[from].lowest, 0, twice));
    }
  } else {
#pragma unroll
    for (int c = 0; c < Columns; ++c)
#pragma unroll
      for (const Row& row : rows) {
        if constexpr (sizeof(T) == 8) {
          const auto x = static_cast<std::int64_t>(row.of(c) ^ zero_bits<T>(recoding.flip));
          extrema[c].include(x, x);
        } else {
          const auto x = static_cast<int>(row.of(c) ^ recoding.flip);
          extrema[c].include(x, x);
        }
      }
  }
}

/// The result of an operation as bits; false if its integer type cannot hold it.
template <class T>
__device__ __forceinline__ bool integer_result(const AxisTask& task, const BoundedTask&, int,
                                               const IntegerExtrema<T>& extrema, std::uint64_t& bits) {
  using Value = std::conditional_t<sizeof(T) == 8, Int128, std::int64_t>;
  const Value bias = task.direct.flip == 0 ? Value{0} : Value{1} << (8 * sizeof(T) - 1);
  const Value largest = extrema.largest(), smallest = extrema.smallest();
  const Value value = task.operation == Operation::range     ? largest - smallest
                      : task.operation == Operation::maximum ? largest + bias
                                                             : smallest + bias;
  if (task.is_integer) return integer_bits(task, value, bits);
  return round_interval(interval_of(value), task.out_type, bits);
}

}  // namespace foldline::cuda
