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
#include "cuda/device/programmatic_launch.cuh"
#include "cuda/runtime/kernel_attributes.hpp"
#include "cuda/runtime/programmatic_launch.hpp"

namespace foldline::cuda {

/// Batches that may be added to an int64 count: each changes it by less than 2^51.
inline constexpr int max_commits = 1 << 12;

/// How a block's threads share its rows. Computed on the host, because it takes divisions.
struct ColumnSteps {
  int rows;             // rows of threads
  unsigned reciprocal;  // of `vec16s`, times 2^16: exact enough for thread indices
  int full_tiles;
  int sample_step;      // between sampled rows
  int tiles_per_carry;  // tiles between two carries of digits

  ColumnSteps(const AxisTask& task, int loads, int levels, int samples)
      : rows(axis_threads / task.vec16s),
        reciprocal((1u << 16) / static_cast<unsigned>(task.vec16s) + 1),
        full_tiles(task.length / (rows * loads)),
        sample_step(task.length / (samples * rows)),
        // A thread spills at most each element of a tile and its counts per column, and twice more at the
        // end.
        tiles_per_carry((1 << 15) / (rows * (loads + levels)) - 2) {}
};

/// The position of a thread: its 16 bytes of the block's part of a row, and its row.
struct ColumnPosition {
  int vec16, row;
  bool counts;  // false if there is no such vec16; the thread then reads that of another
  int nearest;  // lanes of a warp with the same columns are a multiple of this apart; 32 if there are none

  __device__ ColumnPosition(const AxisTask& task, const ColumnSteps& steps, std::int64_t first_vec16) {
    row = static_cast<int>(threadIdx.x * steps.reciprocal >> 16);
    vec16 = static_cast<int>(threadIdx.x) - row * task.vec16s;
    counts = row < steps.rows && first_vec16 + vec16 < task.all_vec16s;
    if (!counts) row = vec16 = 0;
    nearest = (task.vec16s & (task.vec16s - 1)) == 0 ? task.vec16s : 32;
  }
  __device__ bool is_leader() const { return counts && (nearest >= 32 || lane() < nearest); }
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
template <class Term, int ColumnsOfThread, int MaxColumns>
struct ColumnBlock {
  using Sums = AxisSums<WindowedSum<Term>, NoAxisSum, false>;
  using Spill = cuda::Spill<Term::digits, MaxColumns>;
  std::int64_t* count;  // axis_threads for each level of each of a thread's columns
  AxisBlock<Sums> axis;
  int* digit;  // one for each column at each digit position
  int columns;

  static constexpr int digits = Term::digits.count * MaxColumns;
  static constexpr int counts = ColumnsOfThread * Term::levels * axis_threads;
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
    for (int i = 0; i < Term::digits.count; ++i) {
      int& slot = digit[i * MaxColumns + c];
      const int sum = slot + carried;
      carried = i == Term::digits.count - 1 ? 0 : sum >> digit_bits;
      slot = sum - carried * (1 << digit_bits);
    }
  }
  /// Moves the digits to the limbs; all threads call, after a barrier.
  __device__ void digits_to_limbs() const {
    for (int i = threadIdx.x; i < columns * Sums::words; i += axis_threads) axis.limb[i] = 0;
    if (threadIdx.x < columns) axis.vector[threadIdx.x].limbs = LimbState::in_use;
    __syncthreads();
    for (int i = threadIdx.x; i < digits; i += axis_threads)
      if (const int own = digit[i]; own != 0)
        add_to_limbs(axis.limbs(i % MaxColumns, 0), own,
                     Term::digits.first_exponent + digit_bits * (i / MaxColumns));
    __syncthreads();
  }
};

/// Adds a batch with a misfit. All by value, so that the caller's variables stay in registers.
template <class Own, class Rows, class Block>
__device__ __noinline__ Own add_columns_or_spill(Own sums, Rows rows, int tile, Block block,
                                                 int first_column) {
  sums.add_or_spill(rows.masked_batch(tile), [&](int c) { return block.spill(first_column + c); });
  return sums;
}

/// Sums the threads' slots into the vectors' counts; all threads call, after a barrier. Threads that sum the
/// same count are in one warp, each taking some rows. (Atomic additions of warp sums to shared memory take 2
/// us rather than 0.7 on an H200.)
template <class Term, int ColumnsOfThread, int MaxColumns>
__device__ __forceinline__ void gather_counts(const ColumnBlock<Term, ColumnsOfThread, MaxColumns>& block,
                                              int vec16s, int rows) {
  constexpr int columns_and_levels = ColumnsOfThread * Term::levels;
  const int counts = vec16s * columns_and_levels;  // at most 128
  const int lanes = counts > 64 ? 2 : counts > 32 ? 4 : counts > 16 ? 8 : counts > 8 ? 16 : 32;
  const int of_warp = 32 / lanes, first_row = lane() / of_warp;
  const int at = warp() * of_warp + lane() % of_warp;
  int which = 0, vec16 = at;  // neighbouring threads on neighbouring vec16
  while (vec16 >= vec16s) ++which, vec16 -= vec16s;
  std::int64_t low = 0, high = 0;
  if (at < counts)
    for (int row = first_row; row < rows; row += lanes) {
      const std::int64_t count = block.count[which * axis_threads + vec16 + row * vec16s];
      low += static_cast<std::uint32_t>(count);
      high += count >> 32;
    }
  for (int distance = of_warp; distance < 32; distance *= 2) {
    low += __shfl_xor_sync(all_lanes, low, distance);
    high += __shfl_xor_sync(all_lanes, high, distance);
  }
  if (at >= counts || first_row != 0) return;
  const int column = vec16 * ColumnsOfThread + which / Term::levels, level = which % Term::levels;
  block.axis.vector[column].count[2 * level] = static_cast<Word>(low);
  block.axis.vector[column].count[2 * level + 1] = static_cast<Word>(high);
}

template <class T, class Term, int Loads, int TilesAhead, int Blocks, int MaxColumns>
__global__ void __launch_bounds__(axis_threads, Blocks)
    columns_kernel(const __grid_constant__ AxisTask task, const __grid_constant__ ColumnSteps steps) {
  using Rows = ColumnRows<T, Loads>;
  using Own = ColumnSums<Term, Rows::columns>;
  wait_for_previous_launch();
  const unsigned group = blockIdx.x;
  const int split = static_cast<int>(blockIdx.y);
  const std::int64_t first_vec16 = std::int64_t{task.vec16s} * group;
  const ColumnPosition position(task, steps, first_vec16);
  const std::byte* const own_columns = task.x + (first_vec16 + position.vec16) * 16;
  const Rows rows{own_columns + position.row * task.stride,
                  steps.rows * task.stride,
                  position.row,
                  steps.rows,
                  task.length,
                  PolicyReader(task.keep_in_l2)};
  const int full_tiles = steps.full_tiles;
  const ColumnSample<T, column_samples<T>> sample(own_columns, task.stride, [&](int i) {
    const int row = i * steps.rows + position.row;
    return steps.sample_step == 0 ? min(row, task.length - 1) : row * steps.sample_step;
  });
  // The first rows are loaded while the window is chosen, after the sample.
  const bool has_rest = rows.first_row(full_tiles) < task.length && split == full_tiles % task.splits;
  if (has_rest) rows.prefetch(full_tiles);
  using Ahead = RowsAhead<Rows, TilesAhead>;
  Ahead ahead(rows, split, task.splits, full_tiles);
  const ColumnBlock<Term, Rows::columns, MaxColumns> block(
      reinterpret_cast<Word*>(dynamic_memory() + Ahead::bytes), task.vec16s * Rows::columns);
  const int first_column = position.vec16 * Rows::columns;
  unsigned& shared_largest = block.axis.vector[first_column].largest[0];
  __syncthreads();  // the block's memory is cleared

  Own sums;
  const auto observe_sample = [&](const auto& of_thread) {
    const unsigned largest =
        position.combined(of_thread.template key<Term>(), [](unsigned a, unsigned b) { return max(a, b); });
    if (position.is_leader()) atomicMax(&shared_largest, largest);
    __syncthreads();
  };
  observe_sample(sample);
  if (__syncthreads_or(shared_largest == 0))  // all blocks of these columns agree
    observe_sample(ColumnSample<T, column_samples_between>(own_columns, task.stride, [&](int i) {
      return column_samples<T> * position.row * steps.sample_step +
             (i + 1) * (steps.sample_step / (column_samples_between + 1));
    }));
  sums.open_window_above(shared_largest);
  const int block_window = sums.term.top;  // a thread may move its own window

  bool spilled = false;  // by this thread
  unsigned others = 0;   // bit mask of the columns with an element other than -0
  const auto observe = [&](const auto& batch) {
    if (others == (1u << Rows::columns) - 1) return;  // rarely false after the first batch
#pragma unroll
    for (int i = 0; i < Rows::size; ++i)
      others |= unsigned{!is_negative_zero(batch.x[i])} << (i % Rows::columns);
  };
  int commits = 0;
  if (has_rest && position.counts) {
    // The partial tile comes first, because it has been prefetched: at the end the block would wait for it.
    // One split takes all of it.
    const auto batch = rows.masked_batch(full_tiles);
    observe(batch);
    if (sums.holds(batch)) {
      typename Own::Bins bins(sums);
      sums.deposit(batch, bins);
      sums.commit(bins);
    } else {
      sums = add_columns_or_spill(sums, rows, full_tiles, block, first_column);
      spilled = true;
    }
    ++commits;
  }
  int tile = split;
  while (tile < full_tiles) {
    const int end = static_cast<int>(
        min(std::int64_t{full_tiles}, tile + std::int64_t{min(steps.tiles_per_carry, 512)} * task.splits));
    while (tile < end) {
      // No function is called in this loop, so its state stays in registers.
      typename Own::Bins bins(sums);
      bool fits = true;
#pragma unroll 1
      for (int i = 0; i < Term::max_batch / Loads && tile < end; ++i, tile += task.splits) {
        const auto batch = ahead.take(tile);
        fits = sums.holds(batch) || !position.counts;
        if (__any_sync(all_lanes, !fits)) break;
        sums.deposit(batch, bins);
        observe(batch);
        fits = true;
      }
      sums.commit(bins);
      ++commits;
      if (__all_sync(all_lanes, fits)) continue;
      if (position.counts) {
        sums = add_columns_or_spill(sums, rows, tile, block, first_column);
        observe(rows.batch(tile));
        ++commits;
        spilled = true;
      }
      tile += task.splits;
    }
    if (commits > max_commits - 2048) {
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
  if (position.counts && sums.term.top != block_window)
    sums.flush([&](int c) { return block.spill(first_column + c); });

  others = position.combined(others, [](unsigned a, unsigned b) { return a | b; });
#pragma unroll
  for (int c = 0; c < Rows::columns; ++c) {
    if (position.is_leader() && (others >> c & 1) != 0)
      block.axis.vector[first_column + c].totals.other_than_negative_zero = 1;
#pragma unroll
    for (int k = 0; k < Term::levels; ++k)
      block.count[(c * Term::levels + k) * axis_threads + threadIdx.x] = sums.count[c][k];
  }
  spilled = __syncthreads_or(spilled) != 0;
  gather_counts(block, task.vec16s, steps.rows);
  __syncthreads();
  if (spilled) block.digits_to_limbs();

  const std::int64_t first_result = first_vec16 * Rows::columns;
  const int columns =
      static_cast<int>(min(std::int64_t{task.vec16s} * Rows::columns, task.results - first_result));
  allow_dependent_launch();
  if (task.splits == 1 || publish_columns(task, block.axis, columns, first_result, group, split, spilled))
    write_columns<Term>(task, block.axis, columns, Rows::columns, first_result, spilled);
}

/// Launches the kernel. A thread reads `Loads` rows at a time, `TilesAhead` tiles ahead; `Blocks` blocks of
/// at most `MaxColumns` columns are resident on a multiprocessor. Returns false if they do not fit.
template <class T, class Term, int Loads, int TilesAhead, int Blocks, int MaxColumns>
bool launch_columns_kernel(AxisTask task, cudaStream_t stream) {
  constexpr int columns = 16 / sizeof(T);
  using Block = ColumnBlock<Term, columns, MaxColumns>;
  constexpr int ahead = RowsAhead<ColumnRows<T, Loads>, TilesAhead>::bytes;
  const auto kernel = &columns_kernel<T, Term, Loads, TilesAhead, Blocks, MaxColumns>;
  const int bytes = ahead + Block::bytes(task.vec16s * columns);
  constexpr int max_bytes = ahead + Block::bytes(MaxColumns);
  if constexpr (MaxColumns == max_columns_if_wide) {
    static_assert(TilesAhead == 0 && 2 * (max_bytes + (2 << 10)) <= shared_bytes_for_wide);
    set_max_dynamic_shared_memory(reinterpret_cast<const void*>(kernel), max_bytes);
  } else if constexpr (TilesAhead == 0) {
    static_assert(max_bytes <= 48 << 10);
  } else {
    if (max_blocks_per_multiprocessor(reinterpret_cast<const void*>(kernel), axis_threads, bytes, max_bytes) <
        Blocks)
      return false;
  }
  const std::int64_t groups = (task.all_vec16s - 1) / task.vec16s + 1;
  ColumnSteps steps(task, Loads, Term::levels, column_samples<T>);
  // Two blocks on each multiprocessor: the whole grid is resident.
  task.waits = task.waits && resident_blocks_per_multiprocessor(reinterpret_cast<const void*>(kernel),
                                                                axis_threads, bytes) >= 2;
  void* arguments[] = {&task, &steps};
  constexpr auto doing = "starting sums of columns";
  dim3 grid = grid_of(groups, doing);
  grid.y = static_cast<unsigned>(task.splits);
  launch_programmatically(reinterpret_cast<const void*>(kernel),
                          {.blocks = grid,
                           .threads = dim3(axis_threads),
                           .shared_bytes = static_cast<std::size_t>(bytes),
                           .stream = stream,
                           .cooperative = task.waits},
                          arguments, doing);
  return true;
}

}  // namespace foldline::cuda
