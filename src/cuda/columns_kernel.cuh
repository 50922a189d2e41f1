// The reduce_axis pattern where it is most used: sums of the columns of a matrix whose rows are contiguous.
//
// A thread reads 16 bytes of a row, so it has two or four neighbouring columns; a block has up to 32, and its
// threads stand across them and then down the rows. A column's window is chosen from rows that are spread
// over the matrix, the same for all blocks, so that their counts can be added to each other's in global
// memory, in two words a level; the block that comes last rounds. What does not fit goes to digits in shared
// memory, as in the reduce pattern. Addition of integers: no order matters.
#pragma once

#include "cuda/axis_result.cuh"
#include "cuda/block.cuh"
#include "cuda/check.hpp"
#include "cuda/column_sums.cuh"
#include "cuda/conclude.cuh"

namespace foldline::cuda {

/// Additions of batches' bins to an int64 count: each changes it by less than 2^51.
inline constexpr int most_commits = 1 << 12;
/// The two words of a level that blocks add to: the lower pieces of their counts, and the highest, which is
/// below 2^28 of a block. Above it stands how many blocks have anything but negative zeros.
inline constexpr int high_place = 2 * piece_bits, others_place = 48;
static_assert(axis_threads << (63 - high_place) <= 1 << 28 && max_column_slices <= 1 << 9);

/// Where a thread stands: on which 16 bytes of the block's part of a row, and on which row.
struct ColumnPlace {
  int quad, row, rows;
  bool counts;  // whether there is such a quad; if not, the thread reads what another one has
  int nearest;  // lanes of a warp with the same columns are a multiple of this apart, or 32 if that is none

  __device__ ColumnPlace(const AxisTask& task, std::int64_t first_quad) {
    const int thread = static_cast<int>(threadIdx.x);
    rows = axis_threads / task.quads;
    row = thread / task.quads;
    quad = thread - row * task.quads;
    counts = row < rows && first_quad + quad < task.all_quads;
    if (!counts) row = quad = 0;
    nearest = (task.quads & (task.quads - 1)) == 0 ? task.quads : 32;
  }
  __device__ bool leads() const { return counts && (nearest >= 32 || lane() < nearest); }
  /// What the threads of a warp with the same columns have, combined.
  template <class T, class F>
  __device__ __forceinline__ T combined(T value, F f) const {
    for (int distance = nearest; distance < 32; distance *= 2)
      value = f(value, __shfl_xor_sync(all_lanes, value, distance));
    return value;
  }
};

/// The shared memory of a block: that of any axis, and digits.
template <class Rule>
struct ColumnBlock {
  using Sums = AxisSums<FittedSum<Rule>, NoAxisSum, false>;
  using Spill = cuda::Spill<Rule::digits, most_columns>;
  AxisBlock<Sums> axis;
  int* digit;  // of each place one for each column
  int columns;

  static constexpr int digits = Rule::digits.count * most_columns;
  static constexpr int bytes(int columns) {
    return digits * static_cast<int>(sizeof(int)) + AxisBlock<Sums>::bytes(columns);
  }

  __device__ ColumnBlock(Word* memory, int of_columns)
      : axis(memory + digits / 2, of_columns), digit(reinterpret_cast<int*>(memory)), columns(of_columns) {
    for (int i = threadIdx.x; i < digits / 2; i += axis_threads) memory[i] = 0;
  }
  __device__ Spill spill(int column) const { return {digit, column, axis.vector[column].totals.special}; }
  /// Carries, so that a digit takes as many additions again; all threads call, after a barrier and before
  /// another.
  __device__ void carry() const {
    const int c = static_cast<int>(threadIdx.x);
    if (c >= columns) return;
    int carried = 0;
    for (int i = 0; i < Rule::digits.count; ++i) {
      int& place = digit[i * most_columns + c];
      const int sum = place + carried;
      carried = i == Rule::digits.count - 1 ? 0 : sum >> digit_bits;
      place = sum - carried * (1 << digit_bits);
    }
  }
  /// Moves the digits to the limbs; all threads call, after a barrier.
  __device__ void digits_to_limbs() const {
    for (int i = threadIdx.x; i < columns * Sums::words; i += axis_threads) axis.limb[i] = 0;
    if (threadIdx.x < columns) axis.vector[threadIdx.x].limbs = LimbState::in_use;
    __syncthreads();
    for (int i = threadIdx.x; i < digits; i += axis_threads)
      if (const int own = digit[i]; own != 0)
        add_to_limbs(axis.limbs(i % most_columns, 0), own,
                     Rule::digits.first_exponent + digit_bits * (i / most_columns));
    __syncthreads();
  }
};

/// Adds a batch of which something does not fit. The sums by value, so that their registers stay registers.
template <class Own, class Rows, class Block>
__device__ __noinline__ Own add_columns_with_care(Own sums, const Rows& rows, int tile, const Block& block,
                                                  int first_column) {
  sums.add_with_care(rows.batch_of_any(tile), [&](int c) { return block.spill(first_column + c); });
  return sums;
}

/// Adds a block's counts, as pieces in its vectors, to those of all blocks, and its limbs if it has spilled.
/// Returns whether the block comes last; `spilled` is then whether any block did.
template <class Sums>
__device__ bool share_columns(const AxisTask& task, const AxisBlock<Sums>& block, int columns,
                              std::int64_t first, unsigned group, int slice, bool& spilled) {
  __shared__ unsigned before;
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int levels = Sums::levels;
  Word* const counts = task.counts + (slice % task.shards * task.results + first) * column_words;
  for (int i = thread; i < columns * levels; i += axis_threads) {
    const int c = i / levels, k = i % levels;
    const int* const piece = reinterpret_cast<const int*>(block.vector[c].count) + k * pieces_per_level;
    const std::int64_t others = k == 0 && block.vector[c].totals.other_than_negative_zero != 0;
    Word* const word = counts + c * column_words + 2 * k;
    atomicAdd(word, static_cast<Word>(piece[0]) + (static_cast<Word>(piece[1]) << piece_bits));
    atomicAdd(word + 1, static_cast<Word>(piece[2]) + (static_cast<Word>(others) << others_place));
  }
  if (spilled) {
    for (int i = 0; i < columns; ++i) {
      for (int word = thread; word < Sums::words; word += axis_threads)
        if (const Word own = block.limb[i * Sums::words + word]; own != 0)
          atomicAdd(&task.totals[first + i].limb[word], own);
      if (thread < 3)
        if (const Word own = block.vector[i].totals.special[thread]; own != 0)
          atomicAdd(&task.totals[first + i].vector.special[thread], own);
    }
    __threadfence();
  }
  __syncthreads();
  constexpr int spilled_place = 16;
  static_assert(max_column_slices < 1 << spilled_place);
  if (thread == 0) before = take_ticket(task.tickets[group], 1u + (spilled ? 1u << spilled_place : 0u));
  __syncthreads();
  if ((before & ((1u << spilled_place) - 1)) != static_cast<unsigned>(task.slices) - 1) return false;
  if (thread == 0) task.tickets[group] = 0;
  spilled |= before >> spilled_place != 0;
  if (!spilled) return true;
  take_totals(block, columns, task.totals + first);
  __syncthreads();
  if (thread < columns) block.vector[thread].end[0] = 0;  // what the counts add may lie outside
  return true;
}

/// A column's counts as numbers.
template <int Levels>
struct ColumnCounts {
  Int128 count[Levels] = {};
  bool others = false;

  /// Of one block.
  __device__ ColumnCounts(const int* piece, bool other_than_negative_zero)
      : others(other_than_negative_zero) {
#pragma unroll
    for (int k = 0; k < Levels; ++k)
#pragma unroll
      for (int i = pieces_per_level - 1; i >= 0; --i)
        count[k] = count[k] * (1 << piece_bits) + piece[k * pieces_per_level + i];
  }
  /// Of all blocks, in so many shards, so far apart; clears their memory.
  __device__ ColumnCounts(Word* word, int shards, std::int64_t stride) {
    ulonglong2 taken[most_column_shards][Levels] = {};
#pragma unroll
    for (int i = 0; i < most_column_shards; ++i)  // all before the first store: global memory is far
      if (i < shards)
#pragma unroll
        for (int k = 0; k < Levels; ++k)
          taken[i][k] = __ldcg(reinterpret_cast<ulonglong2*>(word + i * stride) + k);
    Word low[Levels] = {}, blocks = 0;
    std::int64_t high[Levels] = {};
#pragma unroll
    for (int i = 0; i < most_column_shards; ++i)
#pragma unroll
      for (int k = 0; k < Levels; ++k) {
        if (i < shards) reinterpret_cast<ulonglong2*>(word + i * stride)[k] = {0, 0};
        low[k] += taken[i][k].x;
        // The highest piece and the blocks above it: the piece may be negative, and has borrowed then.
        const Word above = k == 0 ? (taken[i][k].y + (Word{1} << (others_place - 1))) >> others_place : 0;
        high[k] += static_cast<std::int64_t>(taken[i][k].y - (above << others_place));
        blocks += above;
      }
    others = blocks != 0;
#pragma unroll
    for (int k = 0; k < Levels; ++k)
      count[k] = static_cast<Int128>(high[k]) * (Int128{1} << high_place) + static_cast<Int128>(low[k]);
  }
};

/// Writes the sums of a block's columns: those that are in counts at once, and otherwise as any axis'.
template <class Rule, class Sums>
__device__ void write_columns(const AxisTask& task, const AxisBlock<Sums>& block, int columns,
                              int columns_of_thread, std::int64_t first, bool spilled) {
  constexpr int levels = Sums::levels;
  const int c = static_cast<int>(threadIdx.x);
  const bool at_once = !spilled && !task.whole && task.operation != Operation::mean;
  if (c < columns) {
    BlockVector<Sums>& vector = block.vector[c];
    const ColumnCounts<levels> counts =
        task.slices == 1 ? ColumnCounts<levels>(reinterpret_cast<const int*>(vector.count),
                                                vector.totals.other_than_negative_zero != 0)
                         : ColumnCounts<levels>(task.counts + (first + c) * column_words, task.shards,
                                                task.results * column_words);
    const unsigned largest = block.vector[c - c % columns_of_thread].largest[0];
    if (at_once) {
      Int128 sum = 0;  // below 2^121: 2^28 terms, each below 2^(46 levels) units
      for (int k = 0; k < levels; ++k) sum = sum * (Int128{1} << BinWindow::width) + counts.count[k];
      const Uint128 magnitude = sum < 0 ? -static_cast<Uint128>(sum) : static_cast<Uint128>(sum);
      const double zero = task.operation == Operation::abs_sum ? 0.0 : zero_sum(task.length, !counts.others);
      const int unit = Rule::unit(Rule::top_above(largest), levels - 1);
      const double result = sum == 0 ? zero : round(sum < 0, leading_bits(magnitude, unit), task.format);
      store_bits(task.out + offset_of(task, first + c, true), encoded(result, task.out_type), task.out_bytes);
    } else {
      for (int k = 0; k < levels; ++k) {
        vector.count[2 * k] = static_cast<Word>(counts.count[k]) & 0xffffffffu;
        vector.count[2 * k + 1] = static_cast<Word>(counts.count[k] >> 32);
      }
      vector.totals.other_than_negative_zero = counts.others;
    }
  }
  if (at_once) return;
  __syncthreads();
  if (c < columns && c % columns_of_thread != 0)
    block.vector[c].largest[0] = block.vector[c - c % columns_of_thread].largest[0];
  write_results(task, block, first, columns);
}

template <class T, class Rule, int Loads, int TilesAhead, int Blocks>
__global__ void __launch_bounds__(axis_threads, Blocks)
    columns_kernel(const __grid_constant__ AxisTask task) {
  using Rows = ColumnRows<T, Loads>;
  using Own = ColumnSums<Rule, Rows::columns>;
  const unsigned groups = gridDim.x / static_cast<unsigned>(task.slices);
  const unsigned group = blockIdx.x % groups;
  const int slice = static_cast<int>(blockIdx.x / groups);
  const std::int64_t first_quad = std::int64_t{task.quads} * group;
  const ColumnPlace place(task, first_quad);
  const std::byte* const own_columns = task.x + (first_quad + place.quad) * 16;
  const Rows rows{own_columns + place.row * task.stride, place.rows * task.stride, place.row, place.rows,
                  task.length};
  const int full_tiles = rows.full_tiles();
  const unsigned sampled = sampled_key<Rule, T>(own_columns, task.stride, task.length, place.row, place.rows);
  // The first tiles are on their way while the window is chosen; not sooner, or the sample comes behind them:
  // 1000 x 1000000 doubles take 1920 us instead of 2090.
  using Ahead = RowsAhead<Rows, TilesAhead>;
  Ahead ahead(rows, slice, task.slices);
  const ColumnBlock<Rule> block(reinterpret_cast<Word*>(dynamic_memory() + Ahead::bytes),
                                task.quads * Rows::columns);
  const int first_column = place.quad * Rows::columns;
  unsigned& shared_largest = block.axis.vector[first_column].largest[0];
  __syncthreads();  // the block's memory is clear

  Own sums;
  {
    const unsigned largest = place.combined(sampled, [](unsigned a, unsigned b) { return max(a, b); });
    if (place.leads()) atomicMax(&shared_largest, largest);
  }
  __syncthreads();
  sums.open_above(shared_largest);
  const int opened = sums.rule.top;  // a thread may move its own

  bool spilled = false;
  unsigned others = 0;  // columns with anything but negative zeros
  const auto look_at = [&](const auto& batch) {
    if (others == (1u << Rows::columns) - 1) return;  // seldom for more than one batch
#pragma unroll
    for (int i = 0; i < Rows::size; ++i)
      others |= unsigned{!is_negative_zero(batch.x[i])} << (i % Rows::columns);
  };
  // What a thread spills of a column: of a tile each element, and its counts; and the same twice more in the
  // end.
  const int tiles_per_carry = (1 << 15) / (place.rows * (Loads + Rule::levels)) - 2;
  int tile = slice, commits = 0;
  while (tile < full_tiles) {
    const int end = static_cast<int>(
        min(std::int64_t{full_tiles}, tile + std::int64_t{min(tiles_per_carry, 512)} * task.slices));
    while (tile < end) {
      // Nothing is called in this loop: its state is in registers.
      typename Own::Bins bins(sums);
      bool fits = true;
#pragma unroll 1
      for (int i = 0; i < Rule::max_batch / Loads && tile < end; ++i, tile += task.slices) {
        const auto batch = ahead.take(tile);
        fits = sums.holds(batch) || !place.counts;
        if (__any_sync(all_lanes, !fits)) break;
        sums.deposit(batch, bins);
        look_at(batch);
        fits = true;
      }
      sums.commit(bins);
      ++commits;
      if (__all_sync(all_lanes, fits)) continue;
      if (place.counts) {
        sums = add_columns_with_care(sums, rows, tile, block, first_column);
        look_at(rows.batch(tile));
        ++commits;
        spilled = true;
      }
      tile += task.slices;
    }
    if (commits > most_commits - 2048) {
      sums.flush([&](int c) { return block.spill(first_column + c); });
      spilled = true;
      commits = 0;
    }
    if (tile < full_tiles) {
      if (__syncthreads_or(spilled)) block.carry();
      __syncthreads();
    }
  }
  if (place.counts) {
    if (tile < rows.tiles()) {  // not full
      const auto batch = rows.batch_of_any(tile);
      look_at(batch);
      if (sums.holds(batch)) {
        typename Own::Bins bins(sums);
        sums.deposit(batch, bins);
        sums.commit(bins);
      } else {
        sums = add_columns_with_care(sums, rows, tile, block, first_column);
        spilled = true;
      }
    }
    // A window of the thread's own: its counts cannot be added to the others'.
    if (sums.rule.top != opened) sums.flush([&](int c) { return block.spill(first_column + c); });
  }

  others = place.combined(others, [](unsigned a, unsigned b) { return a | b; });
#pragma unroll
  for (int c = 0; c < Rows::columns; ++c) {
    auto& vector = block.axis.vector[first_column + c];
    int* const piece = reinterpret_cast<int*>(vector.count);
    static_assert(sizeof vector.count >= Rule::levels * pieces_per_level * sizeof(int));
#pragma unroll
    for (int k = 0; k < Rule::levels; ++k) {
      const std::int64_t count = place.counts ? sums.count[c][k] : 0;
      constexpr int mask = (1 << piece_bits) - 1;
      const int of_count[pieces_per_level] = {static_cast<int>(count) & mask,
                                              static_cast<int>(count >> piece_bits) & mask,
                                              static_cast<int>(count >> high_place)};
#pragma unroll
      for (int i = 0; i < pieces_per_level; ++i) {
        const int sum = place.combined(of_count[i], [](int a, int b) { return a + b; });
        if (place.leads() && sum != 0) atomicAdd(piece + k * pieces_per_level + i, sum);
      }
    }
    if (place.leads() && (others >> c & 1) != 0) vector.totals.other_than_negative_zero = 1;
  }
  spilled = __syncthreads_or(spilled) != 0;
  if (spilled) block.digits_to_limbs();

  const std::int64_t first_result = first_quad * Rows::columns;
  const int columns =
      static_cast<int>(min(std::int64_t{task.quads} * Rows::columns, task.results - first_result));
  if (task.slices == 1 || share_columns(task, block.axis, columns, first_result, group, slice, spilled))
    write_columns<Rule>(task, block.axis, columns, Rows::columns, first_result, spilled);
}

/// A thread reads `Loads` rows at a time, `TilesAhead` such times ahead; `Blocks` are on a multiprocessor at
/// a time. Returns false if that is more than fit.
template <class T, class Rule, int Loads, int TilesAhead, int Blocks>
bool start_columns(const AxisTask& task, cudaStream_t stream) {
  using Block = ColumnBlock<Rule>;
  constexpr int columns = 16 / sizeof(T);
  constexpr int ahead = RowsAhead<ColumnRows<T, Loads>, TilesAhead>::bytes;
  const auto kernel = &columns_kernel<T, Rule, Loads, TilesAhead, Blocks>;
  const int bytes = ahead + Block::bytes(task.quads * columns);
  constexpr int most_bytes = ahead + Block::bytes(most_columns);
  if constexpr (TilesAhead == 0) {
    static_assert(most_bytes <= 48 << 10);
  } else {
    int blocks = 0;
    // The most of any launch, since others may start the same kernel now.
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes) !=
            cudaSuccess ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, axis_threads,
                                                      static_cast<std::size_t>(bytes)) != cudaSuccess) {
      cudaGetLastError();  // which would be taken for the caller's
      return false;
    }
    if (blocks < Blocks) return false;
  }
  const std::int64_t groups = (task.all_quads - 1) / task.quads + 1;
  void* arguments[] = {const_cast<AxisTask*>(&task)};
  check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(groups * task.slices)), dim3(axis_threads),
                         arguments, static_cast<std::size_t>(bytes), stream),
        "starting sums of columns");
  return true;
}

}  // namespace foldline::cuda
