// Reductions of vectors that are interleaved, as the columns of a matrix: a thread has some neighbouring
// ones.
#pragma once

#include "cuda/axis/rows_kernel.cuh"

namespace foldline::cuda {

/// Neighbouring columns of a thread: 16 bytes of a row, or 8 of narrow elements, whose sums would take too
/// many registers.
template <class T>
inline constexpr int thread_columns = sizeof(T) == 8 ? 2 : 4;

/// A row's elements of a thread's columns.
template <class T>
struct ColumnRow {
  static constexpr int size = thread_columns<T>;
  using Words = std::conditional_t<sizeof(T) * size == 16, uint4, uint2>;
  Words words;

  static __device__ __forceinline__ ColumnRow take(const std::byte* at) {
    return {__ldcs(reinterpret_cast<const Words*>(at))};
  }
  /// Of the columns that exist, at any address that is a multiple of an element's size.
  static __device__ __forceinline__ ColumnRow take_some(const std::byte* at, int exist) {
    BitsOf<T> bits[size];
#pragma unroll
    for (int c = 0; c < size; ++c)
      bits[c] = c < exist ? reinterpret_cast<const BitsOf<T>*>(at)[c] : neutral_bits<T>();
    ColumnRow row;
    std::memcpy(&row.words, bits, sizeof row.words);
    return row;
  }
  __device__ __forceinline__ BitsOf<T> of(int c) const {
    BitsOf<T> bits[size];
    std::memcpy(bits, &words, sizeof bits);
    return bits[c];
  }
};

/// Where a thread is: its columns, and the rows it has.
struct InterleavedPosition {
  std::int64_t first;  // index of its first result
  int columns;         // that exist, at most thread_columns
  int across, down;    // its place in the block
  int rows_of_block;   // at a time

  __device__ InterleavedPosition(const AxisTask& task, int width, unsigned group) {
    const int log_across = task.direct.log_lanes;
    across = static_cast<int>(threadIdx.x) & ((1 << log_across) - 1);
    down = static_cast<int>(threadIdx.x) >> log_across;
    rows_of_block = direct_threads >> log_across;
    const std::int64_t extent = task.axes[task.axis_count - 1].extent;
    const auto groups = static_cast<unsigned>(task.direct.groups);
    const std::int64_t column = ((std::int64_t{group % groups} << log_across) + across) * width;
    columns = static_cast<int>(min(std::int64_t{width}, max(extent - column, std::int64_t{0})));
    first = group / groups * extent + column;
  }
};

/// Whether all words are the array's that hold some bytes of each row between two of its addresses.
__device__ __forceinline__ bool has_whole_words(const AxisTask& task, const std::byte* x, const std::byte* y,
                                                unsigned bytes) {
  const auto word_of = [](const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) & ~std::uintptr_t{3};
  };
  const std::uintptr_t first = word_of(x < y ? x : y), last = word_of(x < y ? y : x);
  return first >= reinterpret_cast<std::uintptr_t>(task.x + task.direct.lowest_byte) &&
         last + bytes + 4 <= reinterpret_cast<std::uintptr_t>(task.x + task.direct.end_byte);
}

/// Takes what there is of `Count` rows of 16-bit elements at any addresses, in whole words, all of which are
/// loaded before one is shifted into its place.
template <int Count, class Row>
__device__ __forceinline__ void take_words(Row* rows, const std::byte* x, std::int64_t stride, int left) {
  constexpr int words = sizeof rows->words / 4;
  const std::byte* at[2];  // of every second row
  unsigned shift[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned before = reinterpret_cast<std::uintptr_t>(x + i * stride) & 2;
    at[i] = x + i * stride - before;
    shift[i] = before * 8;
  }
  unsigned word[Count][words + 1];
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (i < left)
#pragma unroll
      for (int k = 0; k <= words; ++k)
        word[i][k] = __ldcs(reinterpret_cast<const unsigned*>(at[i % 2] + i / 2 * 2 * stride) + k);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    unsigned row[words];
#pragma unroll
    for (int k = 0; k < words; ++k) row[k] = __funnelshift_r(word[i][k], word[i][k + 1], shift[i % 2]);
    std::memcpy(&rows[i].words, row, sizeof row);
  }
}

/// Adds rows to the sums of a thread's columns: a few at a time, and what there is of them at the end.
template <class Sums, int Columns>
__device__ __forceinline__ void add_rows(Sums (&sums)[Columns], const AxisTask& task,
                                         const InterleavedPosition& position, int split) {
  using T = typename Sums::Element;
  using Row = ColumnRow<T>;
  constexpr int at_a_time = 128 / sizeof(typename Row::Words), of_batch = sizeof(T) == 8 ? 4 : 8;
  if (position.columns == 0) return;
  const std::byte* x = task.x + offset_of(task, position.first, false);
  const bool at_once = position.columns == Columns &&
                       (reinterpret_cast<std::uintptr_t>(x) | static_cast<std::uintptr_t>(task.stride)) %
                               sizeof(typename Row::Words) ==
                           0;
  const int step = position.rows_of_block * task.direct.splits;
  Row first;
  double shift[Columns];
  if constexpr (Sums::takes_first) {
    first = Row::take_some(x, position.columns);
#pragma unroll
    for (int c = 0; c < Columns; ++c) shift[c] = number_of<T>(first.of(c));
  }
  int row = split * position.rows_of_block + position.down;
  const std::int64_t stride = step * task.stride;
  x += row * task.stride;
  const auto add = [&](const auto& rows, int left) {
#pragma unroll
    for (int k = 0; k < static_cast<int>(sizeof rows / sizeof(Row)); k += of_batch) {
      if (k >= left) break;
#pragma unroll
      for (int c = 0; c < Columns; ++c) {
        BitsOf<T> bits[of_batch];
#pragma unroll
        for (int i = 0; i < of_batch; ++i)
          bits[i] =
              k + i < left ? rows[k + i].of(c) : filling<Sums>(Sums::takes_first ? first.of(c) : BitsOf<T>{});
        add_column(sums[c], bits, Sums::takes_first ? shift[c] : 0);
      }
    }
  };
  if constexpr (sizeof(T) == 2)
    if (!at_once) {
      for (; row < task.length; row += of_batch * step, x += of_batch * stride) {
        const int left = (task.length - 1 - row) / step + 1;
        Row rows[of_batch];
        if (has_whole_words(task, x, x + (min(left, of_batch) - 1) * stride, sizeof(Row))) {
          take_words<of_batch>(rows, x, stride, left);
        } else {
#pragma unroll
          for (int i = 0; i < of_batch; ++i)
            if (i < left) rows[i] = Row::take_some(x + i * stride, position.columns);
        }
        add(rows, left);
      }
      return;
    }
  for (; row < task.length; row += at_a_time * step, x += at_a_time * stride) {
    const int left = (task.length - 1 - row) / step + 1;
    Row rows[at_a_time];
    if (at_once && left >= at_a_time) {
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) rows[i] = Row::take(x + i * stride);
    } else {
#pragma unroll
      for (int i = 0; i < at_a_time; ++i)
        if (i < left)
          rows[i] = at_once ? Row::take(x + i * stride) : Row::take_some(x + i * stride, position.columns);
    }
    add(rows, left);
  }
}

/// Adds up the sums of threads with the same columns; those of the first row of threads have them.
template <class Sums, int Columns>
__device__ __forceinline__ void merge_rows_of_threads(Sums (&sums)[Columns],
                                                      const InterleavedPosition& position, int across) {
  __shared__ alignas(16) std::byte memory[direct_threads * sizeof(Sums)];
  Sums* const shared = reinterpret_cast<Sums*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    shared[thread] = sums[c];
    __syncthreads();
    for (int rows = position.rows_of_block / 2; rows > 0; rows /= 2) {
      if (position.down < rows) {
        sums[c].merge(shared[thread + rows * across]);
        shared[thread] = sums[c];
      }
      __syncthreads();
    }
  }
}

/// Stores the results of a thread's columns; true if it has some and is not certain of one.
template <class Sums, int Columns>
__device__ __forceinline__ bool store_columns(const AxisTask& task, const InterleavedPosition& position,
                                              const Sums (&sums)[Columns]) {
  if (position.down != 0 || position.columns == 0) return false;
  std::byte* const out = task.out + offset_of(task, position.first, true);
  const std::int64_t out_stride = task.axes[task.axis_count - 1].out_stride;
  bool fails = false;
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    if (c < position.columns) fails |= !store_if_certain(task, sums[c], out + c * out_stride);
  return fails;
}

template <class Sums>
__global__ void __launch_bounds__(direct_threads, 2)
    interleaved_kernel(const __grid_constant__ AxisTask task) {
  constexpr int columns = thread_columns<typename Sums::Element>;
  wait_for_previous_launch();
  allow_dependent_launch();
  const int splits = task.direct.splits, across = 1 << task.direct.log_lanes;
  const unsigned group = blockIdx.x / static_cast<unsigned>(splits);
  const int split = static_cast<int>(blockIdx.x % static_cast<unsigned>(splits));
  const InterleavedPosition position(task, columns, group);
  Sums sums[columns];
  add_rows(sums, task, position, split);
  if (position.rows_of_block > 1) merge_rows_of_threads(sums, position, across);
  if (splits > 1) {
    __shared__ bool is_last;
    Sums* const parts =
        reinterpret_cast<Sums*>(task.direct.parts) + std::int64_t{group} * splits * across * columns;
    const auto part = [&](int of_split, int c) -> Sums& {
      return parts[(of_split * columns + c) * across + position.across];
    };
    if (position.down == 0)
#pragma unroll
      for (int c = 0; c < columns; ++c) part(split, c) = sums[c];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      is_last = take_ticket(task.tickets[group]) == static_cast<unsigned>(splits) - 1;
      if (is_last) task.tickets[group] = 0;
    }
    __syncthreads();
    if (!is_last) return;
#pragma unroll
    for (int c = 0; c < columns; ++c) sums[c] = Sums{};
#pragma unroll 4
    for (int i = position.down; i < splits; i += position.rows_of_block)
#pragma unroll
      for (int c = 0; c < columns; ++c) sums[c].merge(part(i, c));
    if (position.rows_of_block > 1) merge_rows_of_threads(sums, position, across);
  }
  bool fails = store_columns(task, position, sums);
  if constexpr (Sums::can_try_again) {
    if (splits == 1 && __syncthreads_or(fails)) {
      Again<Sums> again[columns];
      add_rows(again, task, position, 0);
      if (position.rows_of_block > 1) merge_rows_of_threads(again, position, across);
      fails = store_columns(task, position, again);
    }
  }
  if (fails) retry(task, position.first);
}

}  // namespace foldline::cuda
