// Reductions of columns of some rows: a thread has a few neighbouring ones, and one double for each sum.
#pragma once

#include "cuda/axis/plain_columns.cuh"

namespace foldline::cuda {

template <class Sums>
__global__ void __launch_bounds__(direct_threads, 3)
    plain_columns_kernel(const __grid_constant__ AxisTask task) {
  using T = typename Sums::Element;
  using Row = ColumnRow<T>;
  using Plain = PlainSums<T, Sums::terms, log_plain_rows>;
  constexpr int columns = Row::size, at_a_time = 128 / sizeof(Row), of_batch = 4;
  wait_for_previous_launch();
  allow_dependent_launch();
  const WholeColumns own(task, columns, sizeof(Row));
  const InterleavedPosition& position = own.position;
  if (position.columns == 0) return;
  const std::byte* const x = own.x;
  const bool at_once = own.at_once;
  const auto take = [&](const std::byte* row) {
    return at_once ? Row::take(row) : Row::take_some(row, position.columns);
  };
  Row fill = Row::of_all(neutral_bits<T>());
  double shift[columns] = {};
  if constexpr (Sums::takes_first) {
    fill = take(x);
#pragma unroll
    for (int c = 0; c < columns; ++c) shift[c] = number_of<T>(fill.of(c));
  }
  Plain sums[columns];
  KeyRange<T> keys;
  const std::byte* at = x;
  for (int left = task.length; left > 0; left -= at_a_time, at += at_a_time * task.stride) {
    Row rows[at_a_time];
    if (at_once && left >= at_a_time) {
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) rows[i] = Row::take(at + i * task.stride);
    } else {
#pragma unroll
      for (int i = 0; i < at_a_time; ++i) rows[i] = i < left ? take(at + i * task.stride) : fill;
    }
#pragma unroll
    for (int k = 0; k < at_a_time; k += of_batch) {
      if (k >= left) break;
#pragma unroll
      for (int i = k; i < k + of_batch; ++i) {
        if constexpr (Plain::must_be_exact) rows[i].observe(keys);
#pragma unroll
        for (int c = 0; c < columns; ++c) sums[c].add(number_of<T>(rows[i].of(c)), shift[c]);
      }
    }
  }
  // Of squares, what only exact sums would tell is rare where there are so many terms.
  const bool is_certain = store_plain_columns<Sums, columns>(
      task, own.all(), x, task.out + position.offset(task, true), [&](int c) { return sums[c]; },
      [&] {
        return Plain::must_be_exact ? exactness_of<Sums::terms>(keys, log_plain_rows) : Exactness{false, 0};
      });
  if (!is_certain) retry(task, position.first);
}

/// The same of columns whose elements are read one by one, of at most most_plain_terms.
template <class Sums>
__global__ void __launch_bounds__(direct_threads, 3)
    plain_scattered_kernel(const __grid_constant__ AxisTask task) {
  wait_for_previous_launch();
  allow_dependent_launch();
  const ScatteredPosition position(task, scattered_columns, blockIdx.x);
#pragma unroll 1
  for (int c = 0; c < position.columns; ++c) {
    const std::int64_t result = position.result(c);
    const std::byte* const x = task.x + offset_of(task, result, false);
    std::byte* const out = task.out + offset_of(task, result, true);
    const auto first = bits_of_element<typename Sums::Element>(x);
    const VectorElements<std::int64_t> vector{x, task.stride, task.length, 0};
    unsigned bits;
    if (plain_result<Sums>(bounded_task(task), vector, first, bits))
      store_bits(out, bits, task.out_bytes);
    else if (!store_if_certain(task, sums_of_elements<Sums>(task, vector, first), out))
      retry(task, result);
  }
}

}  // namespace foldline::cuda
