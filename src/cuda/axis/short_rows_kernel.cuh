// Reductions of short contiguous vectors that follow each other in memory: a warp copies some to shared
// memory, as they lie, and each of its threads has one.
#pragma once

#include "cuda/axis/direct_sums.cuh"
#include "cuda/device/async_copy.cuh"
#include "cuda/device/programmatic_launch.cuh"

namespace foldline::cuda {

/// Copies elements of T to shared memory, where they have the same place in 16 bytes. All threads of a warp
/// call, and wait.
template <class T>
__device__ __forceinline__ void copy_rows(std::byte* to, const std::byte* from, int bytes) {
  int copied = 0;
  if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    copied = bytes & ~15;
    for (int i = lane() * 16; i < copied; i += 32 * 16) copy_to_shared<16>(to + i, from + i);
    commit_group();
  }
  for (int i = copied + lane() * static_cast<int>(sizeof(T)); i < bytes;
       i += 32 * static_cast<int>(sizeof(T)))
    *reinterpret_cast<BitsOf<T>*>(to + i) = *reinterpret_cast<const BitsOf<T>*>(from + i);
  wait_for_groups<0>();
  __syncwarp();
}

/// The sums of a vector in shared memory.
template <class Sums>
__device__ __forceinline__ Sums sums_of_short_row(const AxisTask& task, const std::byte* row) {
  using T = typename Sums::Element;
  const auto first = *reinterpret_cast<const BitsOf<T>*>(row);
  const auto fill = filling<Sums>(task, first);
  const auto shift = shift_of<Sums>(task, first);
  const int length = task.length, bytes = length * static_cast<int>(sizeof(T));
  Sums sums;
  if (bytes % 16 == 0) {
    // Of each eight threads, all read different banks: those whose vectors begin in the same one begin with
    // different pieces.
    const int pieces = bytes / 16, factor = min(pieces & -pieces, 8);
    int piece = lane() * factor / 8 & (factor - 1);
    for (int i = 0; i < pieces; ++i) {
      const Piece<T> taken[1] = {{*reinterpret_cast<const uint4*>(row + piece * 16)}};
      add_pieces(sums, taken, shift);
      if (++piece == pieces) piece = 0;
    }
  } else if (has_words<Sums> && bytes % 4 == 0) {
    if constexpr (has_words<Sums>)
      for (int i = 0; i < bytes; i += 4) {
        const unsigned word[1] = {*reinterpret_cast<const unsigned*>(row + i)};
        sums.add_words(word, shift);
      }
  } else {
    for (int i = 0; i < length; i += Piece<T>::size) {
      const Piece<T> taken[1] = {Piece<T>::of_some(row + i * sizeof(T), 0, length - i, fill)};
      add_pieces(sums, taken, shift);
    }
  }
  return sums;
}

template <class Sums>
__global__ void __launch_bounds__(32 * short_row_warps)
    short_rows_kernel(const __grid_constant__ AxisTask task) {
  using T = typename Sums::Element;
  wait_for_previous_launch();
  allow_dependent_launch();
  const int of_thread = task.direct.vectors_in_turn;
  const std::int64_t first = (std::int64_t{blockIdx.x} * short_row_warps + warp()) * 32 * of_thread;
  if (first >= task.results) return;
  const int row_bytes = task.length * static_cast<int>(sizeof(T));
  const int tile = 32 * of_thread * row_bytes;
  std::byte* const rows = dynamic_memory() + warp() * tile;
  copy_rows<T>(rows, task.x + first * row_bytes,
               static_cast<int>(min(std::int64_t{tile}, (task.results - first) * row_bytes)));
  for (int turn = 0; turn < of_thread; ++turn) {
    const int own = turn * 32 + lane();
    const std::byte* const row = rows + own * row_bytes;
    std::byte* const out = task.out + (first + own) * task.axes[0].out_stride;
    bool fails =
        first + own < task.results && !store_if_certain(task, sums_of_short_row<Sums>(task, row), out);
    if constexpr (Sums::can_try_again)
      if (fails) fails = !store_if_certain(task, sums_of_short_row<Again<Sums>>(task, row), out);
    if (__any_sync(all_lanes, fails) && lane() == 0) retry(task, first + turn * 32);
  }
}

}  // namespace foldline::cuda
