// The shared memory in which the threads of a block combine the sums of a vector, and the totals of blocks in
// global memory. All start as zero; for extrema too, which are stored as unsigned maxima.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/axis/axis_task.hpp"
#include "cuda/exact/block_limbs.cuh"
#include "cuda/exact/thread_sum.cuh"
#include "results/rounded_results.hpp"

namespace foldline::cuda {

/// Sums of elements need only some of the words that sums of products need.
inline constexpr int linear_words = SumLimbs::count;
inline constexpr int first_linear_word = (SumLimbs::first_exponent - first_exponent) / 32;

/// Stands for a sum that is not needed.
struct NoAxisSum {
  static constexpr int levels = 0;
};

/// The sums of a kernel, each a ThreadSum or NoAxisSum: of elements or magnitudes, and of squares.
template <class Linear, class Squares, bool Extrema>
struct AxisSums {
  Linear linear;
  Squares squares;
  static constexpr bool has_linear = Linear::levels != 0, has_squares = Squares::levels != 0;
  static constexpr bool extrema = Extrema;
  static constexpr int levels = Linear::levels + Squares::levels;
  static constexpr int words = (has_linear ? linear_words : 0) + (has_squares ? word_count : 0);

  /// Calls f(sum, index, index of its first level) for every sum that is needed.
  template <class F>
  __device__ __forceinline__ void for_each(F f) {
    if constexpr (has_linear) f(linear, 0, 0);
    if constexpr (has_squares) f(squares, 1, Linear::levels);
  }
};

/// What is known of a vector besides its limbs.
struct AxisVector {
  Word special[3];                // NaN, +inf, -inf
  Word highest, inverted_lowest;  // order keys as unsigned words; the lowest is inverted
  unsigned other_than_negative_zero;
};

struct AxisTotals {
  Word limb[linear_words + word_count];
  AxisVector vector;
};

/// State of a vector's limbs: most vectors never use theirs, which are then not cleared either.
enum class LimbState : unsigned { unused, being_cleared, in_use };

template <class Sums>
struct BlockVector {
  AxisVector totals;
  /// Two sums over the threads for each level: of the low 32 bits of their counts, and of the high bits.
  Word count[Sums::levels == 0 ? 1 : 2 * Sums::levels];
  unsigned largest[2];  // the largest keys of the first batches
  LimbState limbs;
  bool is_long;  // its result needs a long number
  // In the last block of a split: the non-zero words are those from word_count - before[sum] to end[sum].
  int before[2], end[2];
};

template <class Number>
struct OneNumber {
  Number sum;
};
template <class Sums, class Number>
using NumbersFor =
    std::conditional_t<Sums::has_linear && Sums::has_squares, VarianceScratch<Number>, OneNumber<Number>>;
/// For any vector: n * sum(x^2) or sum(x)^2, or any sum, with two more digits for carries, and a division.
template <class Sums>
using LongNumbers =
    NumbersFor<Sums,
               Natural<(Sums::has_linear && Sums::has_squares ? 160 : word_count + 2 + quotient_words)>>;

/// The shared memory of a block, as large as its vectors need.
template <class Sums>
struct AxisBlock {
  BlockVector<Sums>* vector;
  Word* limb;
  LongNumbers<Sums>* numbers;  // one per warp

  static constexpr int warps = axis_threads / 32;
  FOLDLINE_HOST_DEVICE static constexpr int bytes(int vectors) {
    return vectors * static_cast<int>(sizeof(BlockVector<Sums>) + sizeof(Word) * Sums::words) +
           (Sums::levels == 0 ? 0 : warps * static_cast<int>(sizeof(*numbers)));
  }

  __device__ AxisBlock(Word* memory, int vectors) {
    limb = memory;
    vector = reinterpret_cast<BlockVector<Sums>*>(limb + vectors * Sums::words);
    numbers = reinterpret_cast<LongNumbers<Sums>*>(vector + vectors);
    const int words = vectors * static_cast<int>(sizeof(BlockVector<Sums>) / sizeof(Word));
    for (int i = threadIdx.x; i < words; i += axis_threads) reinterpret_cast<Word*>(vector)[i] = 0;
  }
  /// The limbs of a sum, cleared by the first thread that asks for them.
  __device__ __noinline__ Word* cleared_limbs(int of, int index) const {
    auto* const state = reinterpret_cast<unsigned*>(&vector[of].limbs);
    constexpr auto unused = static_cast<unsigned>(LimbState::unused);
    constexpr auto being_cleared = static_cast<unsigned>(LimbState::being_cleared);
    constexpr auto in_use = static_cast<unsigned>(LimbState::in_use);
    if (atomicCAS(state, unused, being_cleared) == unused) {
      for (int i = 0; i < Sums::words; ++i) limb[of * Sums::words + i] = 0;
      __threadfence_block();
      atomicExch(state, in_use);
    }
    while (atomicCAS(state, unused, unused) != in_use) {
    }
    return limbs(of, index);
  }
  /// The limbs of a sum; only the words that the sum can need exist.
  __device__ Word* limbs(int of, int index) const {
    Word* const own = limb + of * Sums::words;
    if (index == 0) return own - first_linear_word;
    return own + (Sums::has_linear ? linear_words : 0);
  }
};

/// Calls f(count, sum, exponent) for each non-zero count of a vector.
template <class Sums, class F>
__device__ void for_each_count(const AxisBlock<Sums>& block, int of, F f) {
  const BlockVector<Sums>& own = block.vector[of];
  Sums sums;
  sums.for_each([&](auto& sum, int which, int first_level) {
    sum.open_window_above(own.largest[which]);
    for (int i = 0; i < 2 * sum.levels; ++i)
      if (const Word count = own.count[2 * first_level + i]; count != 0)
        f(static_cast<std::int64_t>(count), which, sum.unit(sum.window(), i / 2) + 32 * (i % 2));
  });
}

}  // namespace foldline::cuda
