// Where the threads of a block gather what they have of the same vector, and blocks what they have of it.
// Zero at first: of the extrema, too, the largest of unsigned numbers is kept.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/axis_task.hpp"
#include "cuda/block_limbs.cuh"
#include "cuda/thread_sum.cuh"
#include "rounded_results.hpp"

namespace foldline::cuda {

/// Sums of elements need only some of the words that sums of products do.
inline constexpr int linear_words = SumLimbs::count;
inline constexpr int first_linear_word = (SumLimbs::first_exponent - first_exponent) / 32;

/// Stands for a sum that is not needed.
struct NoAxisSum {
  static constexpr int levels = 0;
};

/// What a kernel gathers. The sums are ThreadSum or NoAxisSum: of elements or magnitudes, and of squares.
template <class Linear, class Squares, bool Extrema>
struct AxisSums {
  Linear linear;
  Squares squares;
  static constexpr bool has_linear = Linear::levels != 0, has_squares = Squares::levels != 0;
  static constexpr bool extrema = Extrema;
  static constexpr int levels = Linear::levels + Squares::levels;
  static constexpr int words = (has_linear ? linear_words : 0) + (has_squares ? word_count : 0);

  /// Calls f(sum, its place, the place of its first level) for every sum there is.
  template <class F>
  __device__ __forceinline__ void for_each(F f) {
    if constexpr (has_linear) f(linear, 0, 0);
    if constexpr (has_squares) f(squares, 1, Linear::levels);
  }
};

/// What there is of a vector beside its limbs.
struct AxisVector {
  Word special[3];                // NaN, +inf, -inf
  Word highest, inverted_lowest;  // keys, as words that compare as they do; the lowest inverted
  unsigned other_than_negative_zero;
  unsigned in_limbs;  // whether there is anything in its limbs
};

__device__ __forceinline__ Word word_of_key(std::int64_t key) { return static_cast<Word>(key) ^ sign_bit; }
__device__ __forceinline__ std::int64_t key_of_word(Word word) {
  return static_cast<std::int64_t>(word ^ sign_bit);
}

struct AxisTotals {
  Word limb[linear_words + word_count];
  AxisVector vector;
};

template <class Sums>
struct BlockVector {
  AxisVector totals;
  Word count[Sums::levels == 0 ? 1 : Sums::levels];
  unsigned largest[2];  // the high bits of the largest of the first terms
  bool is_long;         // whether its result takes a long number
};

template <class Number>
struct OneNumber {
  Number sum;
};
template <class Sums, class Number>
using NumbersFor =
    std::conditional_t<Sums::has_linear && Sums::has_squares, VarianceNumbers<Number>, OneNumber<Number>>;
using LongNumber = Natural<160>;

/// The shared memory of a block, as large as its vectors need.
template <class Sums>
struct AxisBlock {
  BlockVector<Sums>* vector;
  Word* limb;
  NumbersFor<Sums, LongNumber>* numbers;  // of each warp

  static constexpr int warps = axis_threads / 32;
  static constexpr int bytes(int vectors) {
    return vectors * static_cast<int>(sizeof(BlockVector<Sums>) + sizeof(Word) * Sums::words) +
           (Sums::levels == 0 ? 0 : warps * static_cast<int>(sizeof(*numbers)));
  }

  __device__ AxisBlock(Word* memory, int vectors) {
    limb = memory;
    vector = reinterpret_cast<BlockVector<Sums>*>(limb + vectors * Sums::words);
    numbers = reinterpret_cast<NumbersFor<Sums, LongNumber>*>(vector + vectors);
    const int words = vectors * static_cast<int>(sizeof(BlockVector<Sums>) / sizeof(Word) + Sums::words);
    for (int i = threadIdx.x; i < words; i += axis_threads) memory[i] = 0;
  }
  /// The limbs of a sum; word i is there for those i that the sum can need.
  __device__ Word* limbs(int of, int place) const {
    Word* const own = limb + of * Sums::words;
    if (place == 0) return own - first_linear_word;
    return own + (Sums::has_linear ? linear_words : 0);
  }
};

}  // namespace foldline::cuda
