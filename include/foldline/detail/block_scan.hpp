/// @file
/// The scan of generic.hpp: each block is scanned by itself, its sum is added to the total of those before
/// it, and that total is put in front of its elements, which are still in cache. One pass over memory; op is
/// called twice per element, f once.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "foldline/detail/blocks.hpp"

namespace foldline::detail {

enum class ScanKind : std::uint8_t { inclusive, exclusive };

/// Makes sums[r] the sum of the runs 0 to r, except the last, which stays the sum of its own run: head and
/// tail of the block are then the last two.
template <class T, class Op>
void add_up_heads(RunSums<T>& sums, Op& op) {
  for (std::size_t run = 1; run + 1 < runs_per_block; ++run)
    sums[run] = static_cast<T>(op(std::as_const(sums[run - 1]), std::move(sums[run])));
}

/// Appends a block, whose heads have been added up, to the total of the blocks before it.
template <class T, class Op>
void append(std::optional<T>& total, const RunSums<T>& sums, Op& op) {
  const T &head = sums[runs_per_block - 2], &tail = sums[runs_per_block - 1];
  T front = total ? static_cast<T>(op(std::move(*total), head)) : head;
  total = combine(front, tail, op);
}

template <ScanKind kind, class T, class Op, class F>
class BlockScan {
 public:
  BlockScan(std::span<T> out, Op& op, F& f) : out_(out), op_(op), f_(f) {}

  /// out[i] becomes the sum of its run up to i or, exclusive, before i (the first of a run is left as it is).
  /// Returns the sums of runs with their heads added up.
  RunSums<T> scan_runs(const Block& block) {
    const auto start = [this](std::int64_t i) {
      T sum(as_operand<T>(f_(i)));
      if constexpr (kind == ScanKind::inclusive) at(i) = sum;
      return sum;
    };
    const auto step = [this](T& sum, std::int64_t i) {
      if constexpr (kind == ScanKind::inclusive) {
        sum = combine(sum, as_operand<T>(f_(i)), op_);
        at(i) = sum;
      } else {
        T value(as_operand<T>(f_(i)));  // a copy: out may be the input
        at(i) = sum;
        sum = combine(sum, std::move(value), op_);
      }
    };
    RunSums<T> sums = fold_runs<T>(block, start, step);
    add_up_heads(sums, op_);
    return sums;
  }

  /// Puts in front of each run what comes before it: the blocks before this one and the runs before it.
  void prepend(const std::optional<T>& before, const Block& block, const RunSums<T>& heads) {
    if (before) prepend(*before, block.begin_of(0), block.begin_of(1));
    for (std::size_t run = 1; run < runs_per_block; ++run) {
      const T& head = heads[run - 1];
      const T prefix = before ? static_cast<T>(op_(*before, head)) : head;
      prepend(prefix, block.begin_of(run), block.begin_of(run + 1));
    }
  }

 private:
  void prepend(const T& prefix, std::int64_t first, std::int64_t end) {
    if constexpr (kind == ScanKind::exclusive) at(first++) = prefix;
    for (std::int64_t i = first; i < end; ++i) at(i) = static_cast<T>(op_(prefix, std::move(at(i))));
  }
  T& at(std::int64_t i) { return out_[static_cast<std::size_t>(i)]; }

  std::span<T> out_;
  Op& op_;
  F& f_;
};

/// A scan of less than a block.
template <ScanKind kind, class T, class Op, class F>
void scan_few(std::span<T> out, std::optional<T> total, Op& op, F& f) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value(as_operand<T>(f(static_cast<std::int64_t>(i))));  // a copy: out may be the input
    if constexpr (kind == ScanKind::exclusive) out[i] = *total;
    total = total ? combine(*total, std::move(value), op) : std::move(value);
    if constexpr (kind == ScanKind::inclusive) out[i] = *total;
  }
}

/// The total of all blocks so far, which goes from block to block in their order.
template <class T>
class Chain {
 public:
  explicit Chain(std::optional<T> total) : total_(std::move(total)) {}

  /// A block's turn. Whatever happens to the block, its end passes the turn on, so that nobody waits for
  /// ever.
  class Turn {
   public:
    Turn(Chain& chain, std::int64_t block) : chain_(chain), block_(block) {}
    ~Turn() {
      if (!passed_) pass(false);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Waits for the blocks before this one, gives their total, and appends this one. False if one of them
    /// failed.
    template <class Op>
    bool append(const RunSums<T>& sums, Op& op, std::optional<T>& before) {
      await();
      if (chain_.broken_) return false;
      before = chain_.total_;
      detail::append(chain_.total_, sums, op);
      pass(true);
      return true;
    }

   private:
    void await() const {
      for (std::int64_t next = 0; (next = chain_.next_.load(std::memory_order_acquire)) != block_;)
        chain_.next_.wait(next, std::memory_order_acquire);
    }
    void pass(bool whole) {
      await();
      if (!whole) chain_.broken_ = true;
      passed_ = true;
      chain_.next_.store(block_ + 1, std::memory_order_release);
      chain_.next_.notify_all();
    }

    Chain& chain_;
    std::int64_t block_;
    bool passed_ = false;
  };

 private:
  std::atomic<std::int64_t> next_ = 0;  ///< the block whose turn it is; only that one touches the rest
  bool broken_ = false;
  std::optional<T> total_;
};

/// out[i] = total op f(0) op ... op f(i) or, exclusive, f(i - 1), on at most `threads` threads.
template <ScanKind kind, class T, class Op, class F>
void scan_blocks(std::span<T> out, std::optional<T> total, Op& op, F& f, int threads) {
  const auto n = static_cast<std::int64_t>(out.size());
  if (n < static_cast<std::int64_t>(runs_per_block)) return scan_few<kind>(out, std::move(total), op, f);
  const Blocks blocks(n);
  BlockScan<kind, T, Op, F> scan(out, op, f);
  if (threads == 1) {
    for (std::int64_t i = 0; i < blocks.count(); ++i) {
      const RunSums<T> sums = scan.scan_runs(blocks[i]);
      scan.prepend(total, blocks[i], sums);
      append(total, sums, op);
    }
    return;
  }
  Chain<T> chain(std::move(total));
  run_parts(blocks.count(), threads, [&](std::int64_t i) {
    typename Chain<T>::Turn turn(chain, i);
    const RunSums<T> sums = scan.scan_runs(blocks[i]);
    std::optional<T> before;
    if (turn.append(sums, op, before)) scan.prepend(before, blocks[i], sums);
  });
}

}  // namespace foldline::detail
