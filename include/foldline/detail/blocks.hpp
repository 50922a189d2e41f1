/// @file
/// The order in which generic.hpp combines elements. It is a function of the number of elements only, and
/// operands keep their order, so a result needs an associative operator but no commutative one, and does not
/// depend on threads even where the operator rounds.
///
///     n elements   ->  blocks of 8 to 16064 elements   one block is one task
///     a block      ->  8 runs of neighbours            each folded from left to right, the 8 side by side
///     8 sums       ->  head (of the first 7) and tail  so that a total waits for two combinations per block
///     total        =   (((init op head) op tail) op head) op tail ...
///
/// Eight chains at a time hide the latency of op: a single one waits 4 cycles for each addition.
/// (The two sweeps of a scan: Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990.)
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "foldline/detail/parallel.hpp"

#if defined(__CUDACC__)
#define FOLDLINE_ON_DEVICE_TOO __host__ __device__
#else
#define FOLDLINE_ON_DEVICE_TOO
#endif

namespace foldline::detail {

inline constexpr std::size_t runs_per_block = 8;

struct Block {
  std::int64_t first, end;

  /// Where a run begins; run 8 would begin at `end`. The last one takes what is left over.
  FOLDLINE_ON_DEVICE_TOO std::int64_t begin_of(std::size_t run) const {
    return run == runs_per_block ? end : first + static_cast<std::int64_t>(run) * run_length();
  }
  FOLDLINE_ON_DEVICE_TOO std::int64_t run_length() const {
    return (end - first) / static_cast<std::int64_t>(runs_per_block);
  }
};

/// How the elements [0, n) are cut. No block is shorter than 8; n must not be either.
class Blocks {
 public:
  explicit Blocks(std::int64_t n) : n_(n), length_(length_for(n)), count_(n / length_) {}
  FOLDLINE_ON_DEVICE_TOO std::int64_t count() const { return count_; }
  /// The last block takes what is left over.
  FOLDLINE_ON_DEVICE_TOO Block operator[](std::int64_t i) const {
    return {i * length_, i + 1 == count_ ? n_ : (i + 1) * length_};
  }

 private:
  /// Some 100 blocks for several threads, and not so many more that their sums take memory (at most 2^16).
  /// 16064 doubles and their results fit L2 cache. 64 times an odd number: were runs a power of two apart,
  /// all eight would fall into the same few sets of the L1 cache.
  static std::int64_t length_for(std::int64_t n) {
    constexpr std::int64_t shortest = runs_per_block, granule = 64, longest = 251 * granule,
                           most_blocks = 1 << 16;
    const std::int64_t length = std::max(std::clamp(n / 128, shortest, longest), n / most_blocks);
    return length < granule ? length : granule * (length / granule | 1);
  }

  std::int64_t n_, length_, count_;
};

/// A value as op takes it: a T passes as it is, without a copy; anything else is converted.
template <class T, class U>
decltype(auto) as_operand(U&& value) {
  if constexpr (!std::same_as<std::remove_cvref_t<U>, T>)
    return static_cast<T>(std::forward<U>(value));
  else if constexpr (std::is_lvalue_reference_v<U>)
    return std::as_const(value);
  else
    return static_cast<U&&>(value);
}

/// a op b, where a is not needed any more.
template <class T, class Op, class B>
T combine(T& a, B&& b, Op& op) {
  return static_cast<T>(op(std::move(a), std::forward<B>(b)));
}

/// Calls each(run...) with all numbers of runs as compile-time constants: unrolled, whatever the compiler.
template <class Each>
decltype(auto) with_runs(const Each& each) {
  return [&]<std::size_t... Run>(std::index_sequence<Run...>) -> decltype(auto) {
    return each(std::integral_constant<std::size_t, Run>()...);
  }(std::make_index_sequence<runs_per_block>());
}

/// Of each run of a block.
template <class T>
using RunSums = std::array<T, runs_per_block>;

/// Goes through the runs of a block side by side: start(i) gives the sum of a run's first element, step(sum,
/// i) adds element i to it.
template <class T, class Start, class Step>
RunSums<T> fold_runs(const Block& block, const Start& start, const Step& step) {
  RunSums<T> sums = with_runs([&](auto... run) { return RunSums<T>{start(block.begin_of(run))...}; });
  for (std::int64_t i = 1; i < block.run_length(); ++i)
    with_runs([&](auto... run) { (step(sums[run], block.begin_of(run) + i), ...); });
  const std::int64_t left_over = block.begin_of(runs_per_block - 1) + block.run_length();
  for (std::int64_t i = left_over; i < block.end; ++i) step(sums.back(), i);
  return sums;
}

/// The sum of all runs of a block but the last, and of the last.
template <class T>
struct BlockSum {
  T head, tail;
};

template <class T, class Op, class F>
BlockSum<T> sum_of(const Block& block, Op& op, F& f) {
  RunSums<T> sums = fold_runs<T>(
      block, [&](std::int64_t i) { return T(as_operand<T>(f(i))); },
      [&](T& sum, std::int64_t i) { sum = combine(sum, as_operand<T>(f(i)), op); });
  T head = std::move(sums[0]);
  for (std::size_t run = 1; run + 1 < runs_per_block; ++run) head = combine(head, std::move(sums[run]), op);
  return {std::move(head), std::move(sums.back())};
}

/// init op f(0) op ... op f(n - 1), on at most `threads` threads.
template <class T, class Op, class F>
T reduce_blocks(std::int64_t n, T total, Op& op, F& f, int threads) {
  if (n < static_cast<std::int64_t>(runs_per_block)) {
    for (std::int64_t i = 0; i < n; ++i) total = combine(total, as_operand<T>(f(i)), op);
    return total;
  }
  const auto append = [&](BlockSum<T>&& sum) {
    total = combine(total, std::move(sum.head), op);
    total = combine(total, std::move(sum.tail), op);
  };
  const Blocks blocks(n);
  if (threads == 1) {
    for (std::int64_t i = 0; i < blocks.count(); ++i) append(sum_of<T>(blocks[i], op, f));
    return total;
  }
  std::vector<std::optional<BlockSum<T>>> sums(static_cast<std::size_t>(blocks.count()));
  run_parts(blocks.count(), threads,
            [&](std::int64_t i) { sums[static_cast<std::size_t>(i)].emplace(sum_of<T>(blocks[i], op, f)); });
  for (std::optional<BlockSum<T>>& sum : sums) append(*std::move(sum));
  return total;
}

}  // namespace foldline::detail
