// Rounds the sums of the vectors of a block and stores the results.
#pragma once

#include <cstdint>

#include "cuda/axis/axis_memory.cuh"
#include "cuda/axis/strided_batches.cuh"
#include "cuda/finish/result_words.cuh"
#include "results/range.hpp"

namespace foldline::cuda {

/// The sums of a vector, and what else its result depends on.
struct VectorSums {
  WordSum linear, squares;
  ExtremeKeys extrema;
  bool only_negative_zeros;
};

/// The words from the first to the last non-zero one.
__device__ inline WordSum used_words(const Word* limb, int first, int end) {
  while (first < end && limb[first] == 0) ++first;
  while (first < end && limb[end - 1] == 0) --end;
  return {{}, reinterpret_cast<const std::int64_t*>(limb + first), first_exponent + 32 * first, end - first};
}

/// Words that hold a vector's counts; each count spreads over three.
template <class Sum>
inline constexpr int count_words =
    Sum::levels == 0 ? 1 : (BinWindow::width * (Sum::levels - 1) + 32) / 32 + 2;

/// The sum of a vector that has nothing in its limbs.
template <class Sum>
__device__ WordSum sum_of_counts(const Word* count, unsigned largest,
                                 std::int64_t (&word)[count_words<Sum>]) {
  for (std::int64_t& digit : word) digit = 0;
#pragma unroll
  for (int i = 0; i < 2 * Sum::levels; ++i) {
    const int offset = BinWindow::width * (Sum::levels - 1 - i / 2) + 32 * (i % 2), shift = offset % 32;
    word[offset / 32] += static_cast<std::uint32_t>(count[i] << shift);
    word[offset / 32 + 1] += static_cast<std::int64_t>(count[i]) >> (32 - shift);
  }
  Sum sum;
  sum.open_window_above(largest);
  return {{}, word, sum.unit(sum.window(), Sum::levels - 1), count_words<Sum>};
}

/// A sum of a vector, computed in `word` if its limbs are unused.
template <class Sum, class Sums>
__device__ WordSum word_sum(const AxisBlock<Sums>& block, int of, int which, int first_level,
                            std::int64_t (&word)[count_words<Sum>]) {
  const BlockVector<Sums>& own = block.vector[of];
  if (own.limbs == LimbState::unused)
    return sum_of_counts<Sum>(own.count + 2 * first_level, own.largest[which], word);
  const Word* const limb = block.limbs(of, which);
  if (own.end[which] != 0) return used_words(limb, word_count - own.before[which], own.end[which]);
  return which == 0 ? used_words(limb, first_linear_word, first_linear_word + linear_words)
                    : used_words(limb, 0, word_count);
}

/// Memory for sums that are in counts.
template <class Sums>
struct CountWords {
  std::int64_t linear[count_words<decltype(Sums::linear)>], squares[count_words<decltype(Sums::squares)>];
};

template <class Sums>
__device__ VectorSums sums_of(const AxisBlock<Sums>& block, int of, const AxisTask& task,
                              CountWords<Sums>& words) {
  const AxisVector& vector = block.vector[of].totals;
  VectorSums sums{};
  using Linear = decltype(Sums::linear);
  if constexpr (Sums::has_linear) sums.linear = word_sum<Linear>(block, of, 0, 0, words.linear);
  if constexpr (Sums::has_squares)
    sums.squares = word_sum<decltype(Sums::squares)>(block, of, 1, Linear::levels, words.squares);
  const auto count = [&](int kind) { return static_cast<std::int64_t>(vector.special[kind]); };
  const std::int64_t infinities = count(1) + count(2);
  const bool signs = task.operation != Operation::abs_sum;
  sums.linear.specials = {count(0), signs ? count(1) : infinities, signs ? count(2) : 0};
  sums.squares.specials = {count(0), infinities, 0};
  if constexpr (Sums::extrema)
    sums.extrema = {wide_key_of(key_of_word(~vector.inverted_lowest), task.type),
                    wide_key_of(key_of_word(vector.highest), task.type), task.length == 0};
  sums.only_negative_zeros = vector.other_than_negative_zero == 0;
  return sums;
}

/// Digits that the numbers must hold.
template <class Sums>
__device__ int digits_needed(const VectorSums& sums, const AxisTask& task) {
  // Two more for carries.
  if constexpr (Sums::has_linear && Sums::has_squares) {
    const int division_words = task.operation == Operation::variance
                                   ? quotient_words
                                   : root_words(divisors_of(task.operation, task.length, task.ddof));
    const int apart = abs(sums.squares.exponent - 2 * sums.linear.exponent) / 32 + 1;
    return max(sums.squares.words + 4, 2 * (sums.linear.words + 2)) + apart + division_words;
  } else {
    const WordSum& sum = Sums::has_linear ? sums.linear : sums.squares;
    return sum.words + 2 + quotient_words + (task.is_integer ? max(sum.exponent, 0) / 32 + 1 : 0);
  }
}

template <class Sums, class Numbers>
__device__ double rounded_number(const VectorSums& sums, const AxisTask& task, Numbers& numbers) {
  if constexpr (Sums::extrema) {
    if (task.operation == Operation::range) return rounded_range(sums.extrema, task.format);
    const bool lowest = task.operation == Operation::minimum;
    return rounded_extremum(lowest ? sums.extrema.lowest : sums.extrema.highest, sums.extrema, task.format);
  } else if constexpr (Sums::has_linear && Sums::has_squares) {
    return rounded_spread(task.operation, sums.linear, sums.squares, task.length, task.ddof, task.format,
                          numbers);
  } else if constexpr (Sums::has_squares) {
    return rounded_of_squares(task.operation, sums.squares, task.length, task.format, numbers.sum);
  } else {
    const double zero =
        task.operation == Operation::abs_sum ? 0.0 : zero_sum(task.length, sums.only_negative_zeros);
    return task.operation == Operation::mean
               ? rounded_mean(sums.linear, task.length, zero, task.format, numbers.sum)
               : rounded_sum(sums.linear, zero, task.format, numbers.sum);
  }
}

/// Stores the result as an integer of the task's type in `result`; returns false if it is none.
template <class Sums, class Numbers>
__device__ bool integer_result(const VectorSums& sums, const AxisTask& task, Numbers& numbers,
                               std::uint64_t& result) {
  TruncatedInteger value{};
  if constexpr (Sums::extrema) {
    if (!integer_extremum(task.operation, sums.extrema, value)) return false;
  } else if constexpr (Sums::has_linear) {
    if (sums.linear.specials.any()) return false;
    const auto [negative, exponent] = sums.linear.magnitude(numbers.sum);
    value = integer_of(negative, numbers.sum, exponent);
  }
  result = wrapped(value, task.integer_format);
  return value.is_integer && (task.wrap || fits(value, task.integer_format));
}

template <class Sums, class Numbers>
__device__ void write_result(const VectorSums& sums, const AxisTask& task, std::int64_t index,
                             Numbers& numbers) {
  std::uint64_t bits = 0;
  if (!task.is_integer) {
    bits = encoded(rounded_number<Sums>(sums, task, numbers), task.out_type);
  } else if constexpr (Sums::extrema || !Sums::has_squares) {
    if (!integer_result<Sums>(sums, task, numbers, bits)) {
      atomicMax(task.failure, ~static_cast<unsigned long long>(index));
      return;
    }
  }
  store_bits(task.out + offset_of(task, index, true), bits, task.out_bytes);
}

/// Reads the totals back into the block's memory, and clears them.
template <class Sums>
__device__ void take_totals(const AxisBlock<Sums>& block, int vectors, AxisTotals* totals) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (Sums::words != 0)
    for (int i = thread; i < vectors * Sums::words; i += axis_threads) {
      BlockVector<Sums>& vector = block.vector[i / Sums::words];
      const int offset = i % Sums::words, which = Sums::has_linear && offset < linear_words ? 0 : 1;
      const int word = which == 0         ? offset + first_linear_word
                       : Sums::has_linear ? offset - linear_words
                                          : offset;
      Word& total = totals[i / Sums::words].limb[offset];
      block.limb[i] = __ldcg(&total);
      if (block.limb[i] == 0) continue;
      total = 0;
      atomicMax(&vector.before[which], word_count - word);
      atomicMax(&vector.end[which], word + 1);
    }
  if (thread >= vectors) return;
  AxisVector& all = totals[thread].vector;
  BlockVector<Sums>& vector = block.vector[thread];
  for (int kind = 0; kind < 3; ++kind) vector.totals.special[kind] = __ldcg(&all.special[kind]);
  vector.totals.other_than_negative_zero = __ldcg(&all.other_than_negative_zero);
  vector.totals.highest = __ldcg(&all.highest);
  vector.totals.inverted_lowest = __ldcg(&all.inverted_lowest);
  all = {};
  for (Word& count : vector.count) count = 0;
  vector.limbs = LimbState::in_use;
}

/// Adds a vector's counts to its limbs.
template <class Sums>
__device__ void counts_to_limbs(const AxisBlock<Sums>& block, int of) {
  for_each_count(block, of, [&](std::int64_t count, int which, int exponent) {
    add_to_limbs(block.limbs(of, which), count, exponent);
  });
}

/// Rounds and stores the results of a block's vectors: one thread per vector if a short number suffices, else
/// one warp, since long numbers are in shared memory.
template <class Sums>
__device__ __noinline__ void write_results(const AxisTask& task, const AxisBlock<Sums>& block,
                                           std::int64_t first, int vectors) {
  constexpr int short_digits = 24;
  const int thread = static_cast<int>(threadIdx.x);
  bool is_long = false;
  if (thread < vectors) {
    if (block.vector[thread].limbs != LimbState::unused) counts_to_limbs(block, thread);
    CountWords<Sums> words;
    const VectorSums sums = sums_of(block, thread, task, words);
    is_long = digits_needed<Sums>(sums, task) > short_digits;
    block.vector[thread].is_long = is_long;
    if (!is_long) {
      NumbersFor<Sums, Natural<short_digits>> numbers;
      write_result<Sums>(sums, task, first + thread, numbers);
    }
  }
  if (!__syncthreads_or(is_long)) return;
  if constexpr (Sums::levels != 0)
    for (int i = warp(); i < vectors; i += block.warps)
      if (block.vector[i].is_long && lane() == 0) {
        CountWords<Sums> words;
        write_result<Sums>(sums_of(block, i, task, words), task, first + i, block.numbers[warp()]);
      }
}

}  // namespace foldline::cuda
