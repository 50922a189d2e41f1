// Sums of columns: from a block's counts to results. Blocks that share columns add their sums in global
// memory (grid_sum.cuh); one of them reads the totals back and stores the results.
#pragma once

#include "cuda/axis/axis_result.cuh"
#include "cuda/device/block.cuh"
#include "cuda/device/ticket.cuh"
#include "cuda/exact/grid_sum.cuh"

namespace foldline::cuda {

/// Adds a block's sum of a column, in units of the lowest level, to those of all blocks. The flag of the
/// first word: there is an element other than -0; of the second: the block has spilled.
using ColumnGridSum = GridSum<max_column_splits>;
static_assert(ColumnGridSum::parts == column_words &&
              ColumnGridSum::blocks_shift - ColumnGridSum::flag_shift >= ColumnGridSum::count_bits);

/// A column's words are held by neighbouring threads; the first of them gets the sum.
struct ColumnTotal {
  Int128 sum = 0;       // in units of the lowest level
  bool others = false;  // other than -0
};

template <class Sums>
__device__ __forceinline__ ColumnTotal total_of_block(const AxisBlock<Sums>& block, int column) {
  const BlockVector<Sums>& vector = block.vector[column];
  Int128 sum = 0;
#pragma unroll
  for (int k = 0; k < Sums::levels; ++k)
    sum = sum * (Int128{1} << BinWindow::width) + static_cast<std::int64_t>(vector.count[2 * k]) +
          static_cast<std::int64_t>(vector.count[2 * k + 1]) * (Int128{1} << 32);
  return {sum, vector.totals.other_than_negative_zero != 0};
}

/// Adds a block's sums to those of all blocks, and its limbs if it has spilled. Returns true in the block
/// that stores the results: the last split if it may wait for the others, else the last block by ticket.
template <class Sums>
__device__ bool publish_columns(const AxisTask& task, const AxisBlock<Sums>& block, int columns,
                                std::int64_t first, unsigned group, int split, bool spilled) {
  __shared__ bool comes_last;
  const int thread = static_cast<int>(threadIdx.x);
  if (spilled) {
    for (int i = 0; i < columns; ++i) {
      for (int word = thread; word < Sums::words; word += axis_threads)
        if (const Word own = block.limb[i * Sums::words + word]; own != 0)
          atomicAdd(&task.totals[first + i].limb[word], own);
      if (thread < 3)
        if (const Word own = block.vector[i].totals.special[thread]; own != 0)
          atomicAdd(&task.totals[first + i].vector.special[thread], own);
    }
    __syncthreads();
    __threadfence();
  }
  Word* const shard = task.counts + (split % task.shards * task.results + first) * column_words;
  if (thread < columns * column_words) {
    const ColumnTotal own = total_of_block(block, thread / column_words);
    const int part = thread % column_words;
    atomicAdd(shard + thread,
              ColumnGridSum::addend(own.sum, part, part == 0 ? own.others : part == 1 && spilled));
  }
  if (task.waits) return split == task.splits - 1;
  __syncthreads();
  if (thread == 0) {
    comes_last = take_ticket(task.tickets[group]) == static_cast<unsigned>(task.splits) - 1;
    if (comes_last) task.tickets[group] = 0;
  }
  __syncthreads();
  return comes_last;
}

/// Waits for all blocks' sums, reads them and clears them. `spilled` becomes true if any block spilled.
__device__ __forceinline__ ColumnTotal total_of_blocks(const AxisTask& task, int columns, std::int64_t first,
                                                       bool& spilled) {
  const int thread = static_cast<int>(threadIdx.x);
  Word all = 0;
  if (thread < columns * column_words) {
    Word* const word = task.counts + first * column_words + thread;
    const std::int64_t stride = task.results * column_words;
    Word taken[max_column_shards];
    while (true) {
      int blocks = 0;
#pragma unroll
      for (int i = 0; i < max_column_shards; ++i)
        taken[i] = i < task.shards ? *static_cast<volatile Word*>(word + i * stride) : 0;
#pragma unroll
      for (int i = 0; i < max_column_shards; ++i) blocks += ColumnGridSum::blocks(taken[i]);
      if (blocks == task.splits) break;
    }
#pragma unroll
    for (int i = 0; i < max_column_shards; ++i) {
      if (i < task.shards) word[i * stride] = 0;
      all += taken[i];
    }
  }
  const int flags = ColumnGridSum::flags(all);
  const bool others = __shfl_sync(all_lanes, flags, 0, column_words) != 0;
  spilled = __shfl_sync(all_lanes, flags, 1, column_words) != 0;
  return {ColumnGridSum::sum(all, task.splits), others};
}

/// Stores the sums of a block's columns: directly if they are in counts, else as those of any axis.
template <class Term, class Sums>
__device__ void write_columns(const AxisTask& task, const AxisBlock<Sums>& block, int columns,
                              int columns_of_thread, std::int64_t first, bool spilled) {
  constexpr int levels = Sums::levels;
  const int c = static_cast<int>(threadIdx.x) / column_words;
  const bool is_leader = threadIdx.x % column_words == 0 && c < columns;
  // What does not depend on the sum is computed before waiting for it.
  const unsigned largest = is_leader ? block.vector[c - c % columns_of_thread].largest[0] : 0;
  std::byte* const out = task.out + offset_of(task, first + (is_leader ? c : 0), true);
  ColumnTotal total;
  if (task.splits > 1) {
    total = total_of_blocks(task, columns, first, spilled);
    spilled = __syncthreads_or(spilled);
    if (spilled) {
      __threadfence();
      take_totals(block, columns, task.totals + first);
      __syncthreads();
      if (threadIdx.x < columns)
        block.vector[threadIdx.x].end[0] = 0;  // adding the counts may set words outside [before, end)
      __syncthreads();
    }
  } else if (is_leader) {
    total = total_of_block(block, c);
  }
  const bool rounds_directly = !spilled && !task.is_integer && task.operation != Operation::mean;
  if (is_leader && rounds_directly) {
    // The sum is below 2^121: 2^28 terms, each below 2^(46 levels) units.
    const Uint128 magnitude =
        total.sum < 0 ? -static_cast<Uint128>(total.sum) : static_cast<Uint128>(total.sum);
    const double zero = task.operation == Operation::abs_sum ? 0.0 : zero_sum(task.length, !total.others);
    const int unit = Term::unit(Term::window_top_above(largest), levels - 1);
    const double result =
        total.sum == 0 ? zero : round(total.sum < 0, leading_bits(magnitude, unit), task.format);
    store_bits(out, encoded(result, task.out_type), task.out_bytes);
  }
  if (rounds_directly) return;
  if (is_leader) {
    BlockVector<Sums>& vector = block.vector[c];
    Int128 sum = total.sum;
#pragma unroll
    for (int k = levels - 1; k >= 0; --k) {
      const Int128 count = k == 0 ? sum : sum & ((Int128{1} << BinWindow::width) - 1);
      vector.count[2 * k] = static_cast<Word>(count) & 0xffffffffu;
      vector.count[2 * k + 1] = static_cast<Word>(count >> 32);
      sum >>= BinWindow::width;
    }
    vector.totals.other_than_negative_zero = total.others;
    if (c % columns_of_thread != 0)
      vector.largest[0] = largest;  // set already in the first column, where others may still read it
  }
  __syncthreads();
  const AxisBlock<Sums> copy = block;  // a copy: passing it by reference to a function that is not inlined
                                       // forces the original into memory
  write_results(task, copy, first, columns);
}

}  // namespace foldline::cuda
