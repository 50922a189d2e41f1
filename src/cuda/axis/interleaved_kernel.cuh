// Reductions of vectors that are interleaved, as the columns of a matrix: a thread has some neighbouring
// ones, or, if their elements are apart, some that neighbours of other threads stand between.
#pragma once

#include "cuda/axis/interleaved_position.cuh"
#include "cuda/axis/rows_kernel.cuh"

namespace foldline::cuda {

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

/// Takes what there is of `Count` rows of elements of 1 or 2 bytes at any addresses, in whole words, all of
/// which are loaded before one is shifted into its place.
template <int Count, class Row>
__device__ __forceinline__ void take_words(Row* rows, const std::byte* x, std::int64_t stride, int left) {
  constexpr int words = sizeof rows->words / 4;
  constexpr int phases = sizeof(typename Row::Element) == 1 ? 4 : 2;
  const std::byte* at[phases];  // of every so many rows
  unsigned shift[phases];
#pragma unroll
  for (int i = 0; i < phases; ++i) {
    const unsigned before = reinterpret_cast<std::uintptr_t>(x + i * stride) & 3;
    at[i] = x + i * stride - before;
    shift[i] = before * 8;
  }
  unsigned word[Count][words + 1];
#pragma unroll
  for (int i = 0; i < Count; ++i)
    if (i < left)
#pragma unroll
      for (int k = 0; k <= words; ++k)
        word[i][k] =
            __ldcs(reinterpret_cast<const unsigned*>(at[i % phases] + i / phases * phases * stride) + k);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    unsigned row[words];
#pragma unroll
    for (int k = 0; k < words; ++k) row[k] = __funnelshift_r(word[i][k], word[i][k + 1], shift[i % phases]);
    std::memcpy(&rows[i].words, row, sizeof row);
  }
}

/// The first elements of the vectors of a thread's columns.
template <class Row>
__device__ __forceinline__ Row first_row(const AxisTask& task, const InterleavedPosition& position,
                                         const std::byte* x) {
  using T = typename Row::Element;
  if (task.direct.fold == 1) return Row::take_some(x, position.columns);
  BitsOf<T> bits[Row::size];
  const auto columns = static_cast<unsigned>(task.results);
#pragma unroll
  for (unsigned c = 0; c < Row::size; ++c)
    bits[c] = reinterpret_cast<const BitsOf<T>*>(task.x)[(position.column + c) % columns];
  Row row;
  std::memcpy(&row.words, bits, sizeof row.words);
  return row;
}

/// Adds rows to the sums of a thread's columns: a few at a time, and what there is of them at the end.
template <class Sums, int Columns>
__device__ __forceinline__ void add_rows(Sums (&sums)[Columns], const AxisTask& task,
                                         const InterleavedPosition& position, int split) {
  using T = typename Sums::Element;
  using Row = ColumnRow<T>;
  constexpr int at_a_time = 128 / sizeof(typename Row::Words), of_batch = sizeof(T) == 8   ? 4
                                                                          : sizeof(T) == 1 ? 16
                                                                                           : 8;
  if (position.columns == 0) return;
  const DirectPlan& plan = task.direct;
  const std::int64_t row_stride = plan.fold * task.stride;
  const std::byte* x = task.x + position.offset(task, false);
  const bool at_once = position.columns == Columns &&
                       (reinterpret_cast<std::uintptr_t>(x) | static_cast<std::uintptr_t>(row_stride)) %
                               sizeof(typename Row::Words) ==
                           0;
  const int step = position.rows_of_block * plan.splits;
  Row first;
  double shift[Columns];
  if constexpr (Sums::takes_first) {
    first = first_row<Row>(task, position, x);
    if constexpr (!takes_integers<Sums>)
#pragma unroll
      for (int c = 0; c < Columns; ++c) shift[c] = number_of<T>(first.of(c));
  }
  const int row = split * position.rows_of_block + position.down;
  int left = row < plan.rows ? (plan.rows - 1 - row) / step + 1 : 0;
  const std::int64_t stride = step * row_stride;
  x += row * row_stride;
  const auto add = [&](const auto& rows) {
#pragma unroll
    for (int k = 0; k < static_cast<int>(sizeof rows / sizeof(Row)); k += of_batch) {
      if (k >= left) break;
      if constexpr (takes_integers<Sums>) {
        const Row nothing = Sums::takes_first ? first : Row::of_all(filling<Sums>(task, {}));
        Row some[of_batch];
#pragma unroll
        for (int i = 0; i < of_batch; ++i) some[i] = k + i < left ? rows[k + i] : nothing;
        add_columns(sums, some, shift_of<Sums>(task, {}));
      } else {
#pragma unroll
        for (int c = 0; c < Columns; ++c) {
          BitsOf<T> bits[of_batch];
#pragma unroll
          for (int i = 0; i < of_batch; ++i)
            bits[i] = k + i < left ? rows[k + i].of(c)
                                   : filling<Sums>(Sums::takes_first ? first.of(c) : BitsOf<T>{});
          add_column(sums[c], bits, Sums::takes_first ? shift[c] : 0);
        }
      }
    }
  };
  if constexpr (sizeof(T) <= 2)
    if (!at_once) {
      for (; left > 0; left -= of_batch, x += of_batch * stride) {
        Row rows[of_batch];
        if (has_whole_words(task, x, x + (min(left, of_batch) - 1) * stride, sizeof(Row))) {
          take_words<of_batch>(rows, x, stride, left);
        } else {
#pragma unroll
          for (int i = 0; i < of_batch; ++i)
            if (i < left) rows[i] = Row::take_some(x + i * stride, position.columns);
        }
        add(rows);
      }
      return;
    }
  for (; left > 0; left -= at_a_time, x += at_a_time * stride) {
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
    add(rows);
  }
}

template <class Sums, int Columns>
__device__ __forceinline__ void add_rows(Sums (&sums)[Columns], const AxisTask& task,
                                         const ScatteredPosition& position, int split) {
  using T = typename Sums::Element;
  constexpr int of_batch = sizeof(T) == 8 ? 4 : 8;
  if (position.columns == 0) return;
  const int step = position.rows_of_block * task.direct.splits;
  const std::int64_t stride = step * task.stride;
  const int row = split * position.rows_of_block + position.down;
  const std::byte* x[Columns];
  BitsOf<T> first[Columns];
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    x[c] = task.x + offset_of(task, position.result(c < position.columns ? c : 0), false);
    if constexpr (Sums::takes_first) first[c] = bits_of_element<T>(x[c]);
    x[c] += row * task.stride;
  }
  for (int left = row < task.length ? (task.length - 1 - row) / step + 1 : 0; left > 0; left -= of_batch) {
    BitsOf<T> bits[Columns][of_batch];
    if (left >= of_batch) {
#pragma unroll
      for (int i = 0; i < of_batch; ++i)
#pragma unroll
        for (int c = 0; c < Columns; ++c) bits[c][i] = bits_of_element<T>(x[c] + i * stride);
    } else {
#pragma unroll
      for (int i = 0; i < of_batch; ++i)
#pragma unroll
        for (int c = 0; c < Columns; ++c)
          bits[c][i] = i < left ? bits_of_element<T>(x[c] + i * stride)
                                : filling<Sums>(task, Sums::takes_first ? first[c] : BitsOf<T>{});
    }
#pragma unroll
    for (int c = 0; c < Columns; ++c) {
      add_column(sums[c], bits[c], shift_of<Sums>(task, Sums::takes_first ? first[c] : BitsOf<T>{}));
      x[c] += of_batch * stride;
    }
  }
}

/// Shared memory for the sums of each thread.
template <class Sums>
__device__ __forceinline__ Sums* shared_sums() {
  __shared__ alignas(16) std::byte memory[direct_threads * sizeof(Sums)];
  return reinterpret_cast<Sums*>(memory);
}

/// Adds up the sums of threads with the same columns; those of the first row of threads have them.
template <class Sums, int Columns, class Position>
__device__ __forceinline__ void merge_rows_of_threads(Sums (&sums)[Columns], const Position& position,
                                                      int across) {
  Sums* const shared = shared_sums<Sums>();
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

/// Stores the results of a thread's columns, and lists those that it is not certain of if this is the last
/// attempt; true if there are some.
template <class Sums, int Columns>
__device__ __forceinline__ bool store_columns(const AxisTask& task, const InterleavedPosition& position,
                                              const Sums (&sums)[Columns], bool is_last) {
  if (position.down != 0 || position.columns == 0) return false;
  std::byte* const out = task.out + offset_of(task, position.first, true);
  const std::int64_t out_stride = task.axes[task.axis_count - 1].out_stride;
  bool fails = false;
#pragma unroll
  for (int c = 0; c < Columns; ++c)
    if (c < position.columns) fails |= !store_if_certain(task, sums[c], out + c * out_stride);
  if (fails && is_last) retry(task, position.first);
  return fails;
}
template <class Sums, int Columns>
__device__ __forceinline__ bool store_columns(const AxisTask& task, const ScatteredPosition& position,
                                              const Sums (&sums)[Columns], bool is_last) {
  if (position.down != 0) return false;
  bool any_fails = false;
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    if (c >= position.columns) continue;
    const std::int64_t result = position.result(c);
    const bool fails = !store_if_certain(task, sums[c], task.out + offset_of(task, result, true));
    if (fails && is_last) retry(task, result);
    any_fails |= fails;
  }
  return any_fails;
}

/// Adds up the sums of the columns that are parts of the same vector, and those of the rows that are left,
/// and stores the results.
template <class Sums, int Columns>
__device__ __forceinline__ void store_folded(const AxisTask& task, const InterleavedPosition& position,
                                             const Sums (&sums)[Columns]) {
  using T = typename Sums::Element;
  Sums* const shared = shared_sums<Sums>();
  const int own = static_cast<int>(threadIdx.x), columns = static_cast<int>(task.results);
  const int all = own < columns ? columns * task.direct.fold : 0;
  Sums total;
#pragma unroll
  for (int c = 0; c < Columns; ++c) {
    __syncthreads();
    if (position.down == 0) shared[position.across] = sums[c];
    __syncthreads();
    for (int i = own; i < all; i += columns)
      if (i % Columns == c) total.merge(shared[i / Columns]);
  }
  if (own >= columns) return;
  const std::byte* const x = task.x + offset_of(task, own, false);
  const auto first = Sums::takes_first ? bits_of_element<T>(x) : BitsOf<T>{};
  constexpr int of_batch = 8;
  for (int row = task.direct.rows * task.direct.fold; row < task.length; row += of_batch) {
    BitsOf<T> bits[of_batch];
#pragma unroll
    for (int i = 0; i < of_batch; ++i)
      bits[i] = row + i < task.length ? bits_of_element<T>(x + (row + i) * task.stride)
                                      : filling<Sums>(task, first);
    add_column(total, bits, shift_of<Sums>(task, first));
  }
  if (!store_if_certain(task, total, task.out + offset_of(task, own, true))) retry(task, own);
}

template <class Sums, class Position>
__global__ void __launch_bounds__(direct_threads, Position::resident_blocks)
    interleaved_kernel(const __grid_constant__ AxisTask task) {
  constexpr int columns = Position::template columns_of_thread<typename Sums::Element>;
  wait_for_previous_launch();
  allow_dependent_launch();
  const int splits = task.direct.splits, across = 1 << task.direct.log_lanes;
  const unsigned group = blockIdx.x / static_cast<unsigned>(splits);
  const int split = static_cast<int>(blockIdx.x % static_cast<unsigned>(splits));
  const Position position(task, columns, group);
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
  if constexpr (std::is_same_v<Position, InterleavedPosition>)
    if (task.direct.fold != 1) return store_folded(task, position, sums);
  const bool can_try_again = Sums::can_try_again && splits == 1;
  const bool fails = store_columns(task, position, sums, !can_try_again);
  if constexpr (Sums::can_try_again) {
    if (can_try_again && __syncthreads_or(fails)) {
      Again<Sums> again[columns];
      add_rows(again, task, position, 0);
      if (position.rows_of_block > 1) merge_rows_of_threads(again, position, across);
      store_columns(task, position, again, true);
    }
  }
}

}  // namespace foldline::cuda
