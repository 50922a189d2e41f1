// Reductions of columns of few rows: a thread has 16 bytes of each, and takes one column after the other.
#pragma once

#include "cuda/axis/interleaved_kernel.cuh"

namespace foldline::cuda {

/// Element c of a piece.
template <class T>
__device__ __forceinline__ BitsOf<T> element_of(const Piece<T>& piece, int c) {
  BitsOf<T> bits[Piece<T>::size];
  std::memcpy(bits, &piece.words, sizeof bits);
  return bits[c];
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
#pragma unroll
  for (int i = 0; i < Rows; ++i)
    if (i < task.length)
      rows[i] = at_once ? Piece<T>{__ldcs(reinterpret_cast<const uint4*>(x + i * task.stride))}
                        : Piece<T>::of_some(x + i * task.stride, 0, position.columns, neutral_bits<T>());
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
        some[i] = k + i < task.length ? element_of(rows[k + i], c) : filling<Sums>(first);
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
    if (is_certain && c < position.columns) certain |= 1u << c;
  }
  store_results<T>(task, bits, certain, task.out + offset_of(task, position.first, true));
  if (certain != (1u << position.columns) - 1) retry(task, position.first);
}

}  // namespace foldline::cuda
