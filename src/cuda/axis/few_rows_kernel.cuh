// Reductions of columns of few rows: a thread has 16 bytes of each, and takes one column after the other.
#pragma once

#include "cuda/axis/interleaved_kernel.cuh"

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

/// Stores the results of neighbouring columns, at once where they lie side by side.
template <class T>
__device__ __forceinline__ void store_results(const AxisTask& task,
                                              const std::uint64_t (&bits)[Piece<T>::size], unsigned certain,
                                              std::byte* out) {
  constexpr int columns = Piece<T>::size;
  const std::int64_t stride = task.axes[task.axis_count - 1].out_stride;
  if (certain == (1u << columns) - 1 && task.out_bytes == sizeof(T) && stride == sizeof(T) &&
      reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {
    BitsOf<T> results[columns];
#pragma unroll
    for (int c = 0; c < columns; ++c) results[c] = static_cast<BitsOf<T>>(bits[c]);
    uint4 words;
    std::memcpy(&words, results, sizeof words);
    *reinterpret_cast<uint4*>(out) = words;
    return;
  }
#pragma unroll
  for (int c = 0; c < columns; ++c)
    if ((certain >> c & 1) != 0) store_bits(out + c * stride, bits[c], task.out_bytes);
}

/// The results of columns of 16-bit elements that plain sums of `Count` rows tell; bit c is set for the c-th.
template <int Count, int Rows, class T, Terms Which>
__device__ __forceinline__ unsigned plain_results(const BoundedSums<T, Which>&, const BoundedTask& task,
                                                  const Piece<T> (&rows)[Rows],
                                                  std::uint64_t (&bits)[Piece<T>::size]) {
  static_assert(Count <= most_plain_terms);
  constexpr bool is_always_exact = std::is_same_v<T, Half>;  // multiples of 2^-24 below 2^16
  bool is_exact = is_always_exact;
  if constexpr (!is_always_exact && (Which == Terms::values || Which == Terms::magnitudes)) {
    KeyRange<T> keys;  // of all columns
#pragma unroll
    for (int i = 0; i < Count; ++i) keys.observe(rows[i].words);
    is_exact = keys.all_zero() || keys.top() - keys.unit() + log_plain_terms <= 53;
  }
  unsigned certain = 0;
#pragma unroll
  for (int c = 0; c < Piece<T>::size; ++c) {
    const double first = number_of<T>(element_of(rows[0], c));
    PlainSums<T, Which> sums;
#pragma unroll
    for (int i = 0; i < Count; ++i) sums.add(number_of<T>(element_of(rows[i], c)), first);
    if (sums.result(task, is_exact, bits[c])) certain |= 1u << c;
  }
  return certain;
}

template <class Sums, int Rows>
__global__ void __launch_bounds__(direct_threads, Rows <= 8 ? 3 : 2)
    few_rows_kernel(const __grid_constant__ AxisTask task) {
  using T = typename Sums::Element;
  constexpr int columns = Piece<T>::size, of_batch = 4;
  wait_for_previous_launch();
  allow_dependent_launch();
  const InterleavedPosition position(task, columns, blockIdx.x);
  if (position.columns == 0) return;
  const std::byte* const x = task.x + offset_of(task, position.first, false);
  const bool at_once =
      position.columns == columns &&
      (reinterpret_cast<std::uintptr_t>(x) | static_cast<std::uintptr_t>(task.stride)) % 16 == 0;
  Piece<T> rows[Rows];
  if (at_once) {
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
  unsigned certain = 0;
  std::uint64_t bits[columns];
  if constexpr (has_plain_sums<Sums>)
    if (task.out_type == task.type) {
      const Piece<T> nothing = Piece<T>::of(neutral_bits<T>());
#pragma unroll
      for (int i = 1; i < Rows; ++i)
        if (i >= task.length) rows[i] = Sums::takes_first ? rows[0] : nothing;
      certain = Rows > 4 && task.length <= 4 ? plain_results<4>(Sums{}, bounded_task(task), rows, bits)
                                             : plain_results<Rows>(Sums{}, bounded_task(task), rows, bits);
    }
  const unsigned all = (1u << position.columns) - 1;
  if ((certain & all) != all)
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      if ((certain >> c & 1) != 0) continue;
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
  store_results<T>(task, bits, certain, task.out + offset_of(task, position.first, true));
  if (certain != all) retry(task, position.first);
}

}  // namespace foldline::cuda
