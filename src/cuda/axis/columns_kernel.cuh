// The kernel for the most frequent reduction along an axis: sums of the columns of a matrix with contiguous
// rows.
//
// A thread reads 16 bytes of a row, so it has two or four neighbouring columns. A block has up to 32 or 64
// columns; its threads are laid out across them first and then down the rows. Windows are chosen from rows
// sampled over the whole matrix, the same in all blocks, so that sums of blocks can be added
// (column_totals.cuh). Terms that do not fit go to digits in shared memory, as in the reduction kernel.
// Integer addition makes the sums independent of the order.
#pragma once

#include "cuda/axis/column_sums.cuh"
#include "cuda/axis/column_totals.cuh"
#include "cuda/device/next_launch.cuh"
#include "cuda/runtime/kernel_limits.hpp"
#include "cuda/runtime/start_early.hpp"

namespace foldline::cuda {

/// Batches that may be added to an int64 count: each changes it by less than 2^51.
inline constexpr int most_commits = 1 << 12;

/// How a block's threads share its rows. Computed on the host, because it takes divisions.
struct ColumnSteps {
  int rows;             // rows of threads
  unsigned reciprocal;  // of `vec16s`, times 2^16: exact enough for thread indices
  int full_tiles;
  int sample_step;      // between sampled rows
  int tiles_per_carry;  // tiles between two carries of digits

  ColumnSteps(const AxisTask& task, int loads, int levels, int samples)
      : rows(axis_threads / task.quads),
        reciprocal((1u << 16) / static_cast<unsigned>(task.quads) + 1),
        full_tiles(task.length / (rows * loads)),
        sample_step(task.length / (samples * rows)),
        // A thread spills at most each element of a tile and its counts per column, and twice more at the
        // end.
        tiles_per_carry((1 << 15) / (rows * (loads + levels)) - 2) {}
};

/// The position of a thread: its 16 bytes of the block's part of a row, and its row.
struct ColumnPlace {
  int quad, row;
  bool counts;  // false if there is no such vec16; the thread then reads that of another
  int nearest;  // lanes of a warp with the same columns are a multiple of this apart; 32 if there are none

  __device__ ColumnPlace(const AxisTask& task, const ColumnSteps& steps, std::int64_t first_quad) {
    row = static_cast<int>(threadIdx.x * steps.reciprocal >> 16);
    quad = static_cast<int>(threadIdx.x) - row * task.quads;
    counts = row < steps.rows && first_quad + quad < task.all_quads;
    if (!counts) row = quad = 0;
    nearest = (task.quads & (task.quads - 1)) == 0 ? task.quads : 32;
  }
  __device__ bool leads() const { return counts && (nearest >= 32 || lane() < nearest); }
  /// Reduces a value over the lanes of a warp that have the same columns.
  template <class F>
  __device__ __forceinline__ unsigned combined(unsigned value, F f) const {
    for (int distance = nearest; distance < 32; distance *= 2)
      value = f(value, __shfl_xor_sync(all_lanes, value, distance));
    return value;
  }
};

/// The shared memory of a block: that of any axis kernel, digits, and a slot for each count of each thread,
/// which overlaps the limbs.
template <class Rule, int ColumnsOfThread, int MostColumns>
struct ColumnBlock {
  using Sums = AxisSums<FittedSum<Rule>, NoAxisSum, false>;
  using Spill = cuda::Spill<Rule::digits, MostColumns>;
  std::int64_t* count;  // axis_threads for each level of each of a thread's columns
  AxisBlock<Sums> axis;
  int* digit;  // one for each column at each digit position
  int columns;

  static constexpr int digits = Rule::digits.count * MostColumns;
  static constexpr int counts = ColumnsOfThread * Rule::levels * axis_threads;
  FOLDLINE_HOST_DEVICE static constexpr int words_before_limbs(int columns) {
    return counts > columns * Sums::words ? counts - columns * Sums::words : 0;
  }
  FOLDLINE_HOST_DEVICE static constexpr int words_before_digits(int columns) {
    return words_before_limbs(columns) + AxisBlock<Sums>::bytes(columns) / static_cast<int>(sizeof(Word));
  }
  static constexpr int bytes(int columns) {
    return words_before_digits(columns) * static_cast<int>(sizeof(Word)) +
           digits * static_cast<int>(sizeof(int));
  }

  __device__ ColumnBlock(Word* memory, int of_columns)
      : count(reinterpret_cast<std::int64_t*>(memory)),
        axis(memory + words_before_limbs(of_columns), of_columns),
        digit(reinterpret_cast<int*>(memory + words_before_digits(of_columns))),
        columns(of_columns) {
    for (int i = threadIdx.x; i < digits; i += axis_threads) digit[i] = 0;
  }
  __device__ Spill spill(int column) const { return {digit, column, axis.vector[column].totals.special}; }
  /// Propagates carries, so that digits can take as many additions again. All threads call, between two
  /// barriers.
  __device__ void carry() const {
    const int c = static_cast<int>(threadIdx.x);
    if (c >= columns) return;
    int carried = 0;
    for (int i = 0; i < Rule::digits.count; ++i) {
      int& place = digit[i * MostColumns + c];
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
        add_to_limbs(axis.limbs(i % MostColumns, 0), own,
                     Rule::digits.first_exponent + digit_bits * (i / MostColumns));
    __syncthreads();
  }
};

/// Adds a batch with a misfit. All by value, so that the caller's variables stay in registers.
template <class Own, class Rows, class Block>
__device__ __noinline__ Own add_columns_with_care(Own sums, Rows rows, int tile, Block block,
                                                  int first_column) {
  sums.add_with_care(rows.batch_of_any(tile), [&](int c) { return block.spill(first_column + c); });
  return sums;
}

/// Sums the threads' slots into the vectors' counts; all threads call, after a barrier. Threads that sum the
/// same count are in one warp, each taking some rows. (Atomic additions of warp sums to shared memory take 2
/// us rather than 0.7 on an H200.)
template <class Rule, int ColumnsOfThread, int MostColumns>
__device__ __forceinline__ void gather_counts(const ColumnBlock<Rule, ColumnsOfThread, MostColumns>& block,
                                              int quads, int rows) {
  constexpr int columns_and_levels = ColumnsOfThread * Rule::levels;
  const int counts = quads * columns_and_levels;  // at most 128
  const int lanes = counts > 64 ? 2 : counts > 32 ? 4 : counts > 16 ? 8 : counts > 8 ? 16 : 32;
  const int of_warp = 32 / lanes, first_row = lane() / of_warp;
  const int at = warp() * of_warp + lane() % of_warp;
  int which = 0, quad = at;  // neighbouring threads on neighbouring vec16
  while (quad >= quads) ++which, quad -= quads;
  std::int64_t low = 0, high = 0;
  if (at < counts)
    for (int row = first_row; row < rows; row += lanes) {
      const std::int64_t count = block.count[which * axis_threads + quad + row * quads];
      low += static_cast<std::uint32_t>(count);
      high += count >> 32;
    }
  for (int distance = of_warp; distance < 32; distance *= 2) {
    low += __shfl_xor_sync(all_lanes, low, distance);
    high += __shfl_xor_sync(all_lanes, high, distance);
  }
  if (at >= counts || first_row != 0) return;
  const int column = quad * ColumnsOfThread + which / Rule::levels, level = which % Rule::levels;
  block.axis.vector[column].count[2 * level] = static_cast<Word>(low);
  block.axis.vector[column].count[2 * level + 1] = static_cast<Word>(high);
}

template <class T, class Rule, int Loads, int TilesAhead, int Blocks, int MostColumns>
__global__ void __launch_bounds__(axis_threads, Blocks)
    columns_kernel(const __grid_constant__ AxisTask task, const __grid_constant__ ColumnSteps steps) {
  using Rows = ColumnRows<T, Loads>;
  using Own = ColumnSums<Rule, Rows::columns>;
  wait_for_launch_before();
  const unsigned group = blockIdx.x;
  const int slice = static_cast<int>(blockIdx.y);
  const std::int64_t first_quad = std::int64_t{task.quads} * group;
  const ColumnPlace place(task, steps, first_quad);
  const std::byte* const own_columns = task.x + (first_quad + place.quad) * 16;
  const Rows rows{own_columns + place.row * task.stride,
                  steps.rows * task.stride,
                  place.row,
                  steps.rows,
                  task.length,
                  CachedRead(task.stays)};
  const int full_tiles = steps.full_tiles;
  const ColumnSample<T, column_samples<T>> sample(own_columns, task.stride, [&](int i) {
    const int row = i * steps.rows + place.row;
    return steps.sample_step == 0 ? min(row, task.length - 1) : row * steps.sample_step;
  });
  // The first rows are loaded while the window is chosen, after the sample.
  const bool has_rest = rows.first_row(full_tiles) < task.length && slice == full_tiles % task.slices;
  if (has_rest) rows.prefetch(full_tiles);
  using Ahead = RowsAhead<Rows, TilesAhead>;
  Ahead ahead(rows, slice, task.slices, full_tiles);
  const ColumnBlock<Rule, Rows::columns, MostColumns> block(
      reinterpret_cast<Word*>(dynamic_memory() + Ahead::bytes), task.quads * Rows::columns);
  const int first_column = place.quad * Rows::columns;
  unsigned& shared_largest = block.axis.vector[first_column].largest[0];
  __syncthreads();  // the block's memory is cleared

  Own sums;
  const auto look_at_sample = [&](const auto& of_thread) {
    const unsigned largest =
        place.combined(of_thread.template key<Rule>(), [](unsigned a, unsigned b) { return max(a, b); });
    if (place.leads()) atomicMax(&shared_largest, largest);
    __syncthreads();
  };
  look_at_sample(sample);
  if (__syncthreads_or(shared_largest == 0))  // all blocks of these columns agree
    look_at_sample(ColumnSample<T, column_samples_between>(own_columns, task.stride, [&](int i) {
      return column_samples<T> * place.row * steps.sample_step +
             (i + 1) * (steps.sample_step / (column_samples_between + 1));
    }));
  sums.open_above(shared_largest);
  const int opened = sums.rule.top;  // a thread may move its own window

  bool spilled = false;  // by this thread
  unsigned others = 0;   // bit mask of the columns with an element other than -0
  const auto look_at = [&](const auto& batch) {
    if (others == (1u << Rows::columns) - 1) return;  // rarely false after the first batch
#pragma unroll
    for (int i = 0; i < Rows::size; ++i)
      others |= unsigned{!is_negative_zero(batch.x[i])} << (i % Rows::columns);
  };
  int commits = 0;
  if (has_rest && place.counts) {
    // The partial tile comes first, because it has been prefetched: at the end the block would wait for it.
    // One split takes all of it.
    const auto batch = rows.batch_of_any(full_tiles);
    look_at(batch);
    if (sums.holds(batch)) {
      typename Own::Bins bins(sums);
      sums.deposit(batch, bins);
      sums.commit(bins);
    } else {
      sums = add_columns_with_care(sums, rows, full_tiles, block, first_column);
      spilled = true;
    }
    ++commits;
  }
  int tile = slice;
  while (tile < full_tiles) {
    const int end = static_cast<int>(
        min(std::int64_t{full_tiles}, tile + std::int64_t{min(steps.tiles_per_carry, 512)} * task.slices));
    while (tile < end) {
      // No function is called in this loop, so its state stays in registers.
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
  // Counts in a window that the thread moved cannot be added to the others'.
  if (place.counts && sums.rule.top != opened)
    sums.flush([&](int c) { return block.spill(first_column + c); });

  others = place.combined(others, [](unsigned a, unsigned b) { return a | b; });
#pragma unroll
  for (int c = 0; c < Rows::columns; ++c) {
    if (place.leads() && (others >> c & 1) != 0)
      block.axis.vector[first_column + c].totals.other_than_negative_zero = 1;
#pragma unroll
    for (int k = 0; k < Rule::levels; ++k)
      block.count[(c * Rule::levels + k) * axis_threads + threadIdx.x] = sums.count[c][k];
  }
  spilled = __syncthreads_or(spilled) != 0;
  gather_counts(block, task.quads, steps.rows);
  __syncthreads();
  if (spilled) block.digits_to_limbs();

  const std::int64_t first_result = first_quad * Rows::columns;
  const int columns =
      static_cast<int>(min(std::int64_t{task.quads} * Rows::columns, task.results - first_result));
  let_next_launch_begin();
  if (task.slices == 1 || share_columns(task, block.axis, columns, first_result, group, slice, spilled))
    write_columns<Rule>(task, block.axis, columns, Rows::columns, first_result, spilled);
}

/// Launches the kernel. A thread reads `Loads` rows at a time, `TilesAhead` tiles ahead; `Blocks` blocks of
/// at most `MaxColumns` columns are resident on a multiprocessor. Returns false if they do not fit.
template <class T, class Rule, int Loads, int TilesAhead, int Blocks, int MostColumns>
bool start_columns(AxisTask task, cudaStream_t stream) {
  constexpr int columns = 16 / sizeof(T);
  using Block = ColumnBlock<Rule, columns, MostColumns>;
  constexpr int ahead = RowsAhead<ColumnRows<T, Loads>, TilesAhead>::bytes;
  const auto kernel = &columns_kernel<T, Rule, Loads, TilesAhead, Blocks, MostColumns>;
  const int bytes = ahead + Block::bytes(task.quads * columns);
  constexpr int most_bytes = ahead + Block::bytes(MostColumns);
  if constexpr (MostColumns == most_columns_if_wide) {
    static_assert(TilesAhead == 0 && 2 * (most_bytes + (2 << 10)) <= shared_bytes_for_wide);
    allow_shared_memory(reinterpret_cast<const void*>(kernel), most_bytes);
  } else if constexpr (TilesAhead == 0) {
    static_assert(most_bytes <= 48 << 10);
  } else {
    if (blocks_of_multiprocessor(reinterpret_cast<const void*>(kernel), axis_threads, bytes, most_bytes) <
        Blocks)
      return false;
  }
  const std::int64_t groups = (task.all_quads - 1) / task.quads + 1;
  ColumnSteps steps(task, Loads, Rule::levels, column_samples<T>);
  // Two blocks on each multiprocessor: the whole grid is resident.
  task.waits =
      task.waits && blocks_at_a_time(reinterpret_cast<const void*>(kernel), axis_threads, bytes) >= 2;
  void* arguments[] = {&task, &steps};
  const dim3 grid(static_cast<unsigned>(groups), static_cast<unsigned>(task.slices));
  start_early(reinterpret_cast<const void*>(kernel),
              {.blocks = grid,
               .threads = dim3(axis_threads),
               .shared_bytes = static_cast<std::size_t>(bytes),
               .stream = stream,
               .cooperative = task.waits},
              arguments, "starting sums of columns");
  return true;
}

}  // namespace foldline::cuda
