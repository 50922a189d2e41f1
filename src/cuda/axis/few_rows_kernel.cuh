// Reductions of columns of few rows: a thread has 16 bytes of each, and takes one column after the other.
#pragma once

#include "cuda/axis/plain_columns.cuh"

namespace foldline::cuda {

/// Element c of a piece.
template <class T>
__device__ __forceinline__ BitsOf<T> element_of(const Piece<T>& piece, int c) {
  if constexpr (sizeof(T) == 2) {
    const unsigned word[4] = {piece.words.x, piece.words.y, piece.words.z, piece.words.w};
    return static_cast<BitsOf<T>>(c % 2 == 0 ? word[c / 2] : word[c / 2] >> 16);
  } else {
    BitsOf<T> bits[Piece<T>::size];
    std::memcpy(bits, &piece.words, sizeof bits);
    return bits[c];
  }
}

/// Stores the results of columns by plain sums, or of what these do not tell by two doubles; false if some
/// are left. Rows that are not there are filled.
template <class Sums, int Rows>
__device__ __forceinline__ bool store_few_rows(const AxisTask& task,
                                               Piece<typename Sums::Element> (&rows)[Rows], unsigned all,
                                               const std::byte* x, std::byte* out) {
  using T = typename Sums::Element;
  using Plain = PlainSums<T, Sums::terms>;
  static_assert(Rows <= most_plain_terms);
  const Piece<T> nothing = Piece<T>::of(neutral_bits<T>());
#pragma unroll
  for (int i = 1; i < Rows; ++i)
    if (i >= task.length) rows[i] = Sums::takes_first ? rows[0] : nothing;
  const auto sums_of = [&](int c) {
    const double first = number_of<T>(element_of(rows[0], c));
    Plain sums = Plain::of(first, number_of<T>(element_of(rows[1], c)));
#pragma unroll
    for (int i = 2; i < Rows; ++i) sums.add(number_of<T>(element_of(rows[i], c)), first);
    return sums;
  };
  return store_plain_columns<Sums, Piece<T>::size>(task, all, x, out, sums_of, [&] {
    KeyRange<T> keys;  // of all columns
#pragma unroll
    for (int i = 0; i < Rows; ++i) keys.observe(rows[i].words);
    return exactness_of<Sums::terms>(keys, log_plain_terms);
  });
}

template <class Sums, int Rows>
__global__ void __launch_bounds__(direct_threads, Rows <= 4   ? 4
                                                  : Rows <= 8 ? 3
                                                              : 2)
    few_rows_kernel(const __grid_constant__ AxisTask task) {
  using T = typename Sums::Element;
  constexpr int columns = Piece<T>::size, of_batch = 4;
  wait_for_previous_launch();
  allow_dependent_launch();
  const WholeColumns own(task, columns, 16);
  const InterleavedPosition& position = own.position;
  if (position.columns == 0) return;
  const std::byte* const x = own.x;
  Piece<T> rows[Rows];
  if (own.at_once) {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (i < task.length) rows[i] = {__ldcs(reinterpret_cast<const uint4*>(x + i * task.stride))};
  } else if (sizeof(T) == 2 &&
             has_whole_words(task, x, x + (task.length - 1) * task.stride, sizeof(Piece<T>))) {
#pragma unroll
    for (int k = 0; k < Rows; k += of_batch)
      take_words<of_batch>(rows + k, x + k * task.stride, task.stride, task.length - k);
  } else {
#pragma unroll
    for (int i = 0; i < Rows; ++i)
      if (i < task.length)
        rows[i] = Piece<T>::of_some(x + i * task.stride, 0, position.columns, neutral_bits<T>());
  }
  std::byte* const out = task.out + position.offset(task, true);
  const unsigned all = own.all();
  if constexpr (has_plain_sums<Sums>) {
    if (!store_few_rows<Sums>(task, rows, all, x, out)) retry(task, position.first);
  } else {
    unsigned certain = 0;
    std::uint64_t bits[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      const auto first = element_of(rows[0], c);
      Sums sums;
#pragma unroll
      for (int k = 0; k < Rows; k += of_batch) {
        if (k >= task.length) break;
        BitsOf<T> some[of_batch];
#pragma unroll
        for (int i = 0; i < of_batch; ++i)
          some[i] = k + i < task.length ? element_of(rows[k + i], c) : filling<Sums>(task, first);
        add_column(sums, some, Sums::takes_first ? number_of<T>(first) : 0);
      }
      bool is_certain = bounded_result(sums, bounded_task(task), bits[c]);
      if constexpr (Sums::can_try_again) {
        if (!is_certain) {
          Again<Sums> again;
#pragma unroll
          for (int i = 0; i < Rows; ++i)
            if (i < task.length) add_column(again, {element_of(rows[i], c)}, number_of<T>(first));
          is_certain = bounded_result(again, bounded_task(task), bits[c]);
        }
      }
      if (is_certain) certain |= 1u << c;
    }
    certain &= all;
    store_results(task, bits, certain, out);
    if (certain != all) retry(task, position.first);
  }
}

}  // namespace foldline::cuda
