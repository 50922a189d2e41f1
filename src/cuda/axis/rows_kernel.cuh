// Reductions of contiguous vectors: several threads have one, 16 bytes each at a time. And of vectors whose
// elements are apart: neighbouring threads have neighbouring elements.
#pragma once

#include "cuda/axis/vector_elements.cuh"
#include "cuda/device/programmatic_launch.cuh"
#include "cuda/device/ticket.cuh"

namespace foldline::cuda {

/// A contiguous vector by 16 bytes, which are multiples of 16; the first and the last may belong to
/// others in part.
template <class T>
struct RowPieces {
  static constexpr int width = Piece<T>::size;
  const std::byte* first;
  int before, end;  // of the elements from `first` on, those in [before, end) are the vector's

  __device__ __forceinline__ RowPieces(const std::byte* x, int length) {
    const auto address = reinterpret_cast<std::uintptr_t>(x);
    before = static_cast<int>(address % 16 / sizeof(T));
    first = x - address % 16;
    end = before + length;
  }
  // Those in between are the vector's alone.
  __device__ __forceinline__ int first_whole() const { return before == 0 ? 0 : 1; }
  __device__ __forceinline__ int end_of_whole() const { return end / width; }
  __device__ __forceinline__ Piece<T> take(int i) const {
    return {__ldcs(reinterpret_cast<const uint4*>(first + std::int64_t{i} * 16))};
  }
  __device__ __forceinline__ Piece<T> take_some(int i, BitsOf<T> fill) const {
    return Piece<T>::of_some(first + std::int64_t{i} * 16, before - i * width, end - i * width, fill);
  }
};

/// The sums of one thread: of the pieces `piece`, `piece + step` and so on of those that are a vector's
/// alone. It reads `Batches` of them before it adds the first.
template <class Sums, int Batches = 1>
__device__ __forceinline__ Sums sums_of_whole_pieces(const RowPieces<typename Sums::Element>& row, int piece,
                                                     int step, const Piece<typename Sums::Element>& nothing,
                                                     const auto& shift) {
  constexpr int of_batch = 4;
  Sums sums;
  const int end = row.end_of_whole();
  for (int own = piece + row.first_whole(); own < end; own += Batches * of_batch * step) {
    Piece<typename Sums::Element> taken[Batches][of_batch];
#pragma unroll
    for (int i = 0; i < Batches * of_batch; ++i)
      taken[i / of_batch][i % of_batch] = own + i * step < end ? row.take(own + i * step) : nothing;
#pragma unroll
    for (const auto& batch : taken) add_pieces(sums, batch, shift);
  }
  return sums;
}

/// The same of all pieces of a vector.
template <class Sums>
__device__ __forceinline__ Sums sums_of_row(const AxisTask& task, const std::byte* x, int length, int piece,
                                            int step) {
  using T = typename Sums::Element;
  const RowPieces<T> row(x, length);
  const bool has_first = Sums::takes_first && length != 0;
  const auto first = has_first ? *reinterpret_cast<const BitsOf<T>*>(x) : BitsOf<T>{};
  const auto fill = filling<Sums>(task, first);
  const auto shift = shift_of<Sums>(task, first);
  Sums sums = sums_of_whole_pieces<Sums>(row, piece, step, Piece<T>::of(fill), shift);
  const int end = row.end_of_whole();
  const bool has_ends = piece == 0 && length != 0;
  if (has_ends && row.before != 0) {
    const Piece<T> head[1] = {row.take_some(0, fill)};
    add_pieces(sums, head, shift);
  }
  if (has_ends && row.end % row.width != 0 && end >= row.first_whole()) {
    const Piece<T> tail[1] = {row.take_some(end, fill)};
    add_pieces(sums, tail, shift);
  }
  return sums;
}

/// The sums of one thread: of the elements `own`, `own + step` and so on, which are apart.
template <class Sums>
__device__ __forceinline__ Sums sums_of_elements_apart(const AxisTask& task, const std::byte* x, int length,
                                                       int own, int step) {
  using T = typename Sums::Element;
  constexpr int at_a_time = sizeof(T) == 8 ? 8 : 16;
  Sums sums;
  if (own >= length) return sums;
  const auto first = Sums::takes_first ? bits_of_element<T>(x) : BitsOf<T>{};
  const auto fill = filling<Sums>(task, first);
  const auto shift = shift_of<Sums>(task, first);
  const std::int64_t distance = step * task.stride;
  x += own * task.stride;
  int left = (length - 1 - own) / step + 1;
  for (; left >= at_a_time; left -= at_a_time, x += at_a_time * distance) {
    BitsOf<T> taken[at_a_time];
#pragma unroll
    for (int i = 0; i < at_a_time; ++i) taken[i] = bits_of_element<T>(x + i * distance);
    add_column(sums, taken, shift);
  }
  constexpr int fewer = at_a_time / 2;
  for (; left > 0; left -= fewer, x += fewer * distance) {
    BitsOf<T> taken[fewer];
#pragma unroll
    for (int i = 0; i < fewer; ++i) taken[i] = i < left ? bits_of_element<T>(x + i * distance) : fill;
    add_column(sums, taken, shift);
  }
  return sums;
}

/// The sums of one of `threads` threads that share a vector; of none, if it is not there.
template <class Sums, bool AreApart>
__device__ __forceinline__ Sums sums_of_thread(const AxisTask& task, std::int64_t index, bool is_there,
                                               int thread, int threads) {
  const std::byte* const x = task.x + (is_there ? offset_of(task, index, false) : 0);
  const int length = is_there ? task.length : 0;
  if constexpr (AreApart)
    return sums_of_elements_apart<Sums>(task, x, length, thread, threads);
  else
    return sums_of_row<Sums>(task, x, length, thread, threads);
}

/// Adds up the sums of a block's threads; the first one has them.
template <class Sums>
__device__ __forceinline__ void merge_block(Sums& sums) {
  constexpr int warps = direct_threads / 32;
  __shared__ alignas(16) std::byte memory[warps * sizeof(Sums)];
  Sums* const of_warp = reinterpret_cast<Sums*>(memory);
  for (int distance = 16; distance > 0; distance /= 2) sums.merge_lane(distance);
  if (lane() == 0) of_warp[warp()] = sums;
  __syncthreads();
  if (warp() != 0) return;
  sums = of_warp[lane() % warps];
  for (int distance = warps / 2; distance > 0; distance /= 2) sums.merge_lane(distance);
}

/// Parts of a warp have a vector each, several in turn; then each thread rounds one result.
template <class Sums, bool AreApart>
__device__ __forceinline__ void reduce_rows(const AxisTask& task) {
  const DirectPlan& plan = task.direct;
  const int lanes = 1 << plan.log_lanes, own = lane() & (lanes - 1);
  const int at_once = 32 >> plan.log_lanes, of_warp = lane() >> plan.log_lanes;
  const std::int64_t first = (std::int64_t{blockIdx.x} * (direct_threads / 32) + warp()) * plan.unit;
  if (first >= task.results) return;
  Sums mine;
  for (int turn = 0; turn < plan.vectors_in_turn; ++turn) {
    const std::int64_t index = first + turn * at_once + of_warp;
    const bool is_there = index < task.results;
    Sums sums = sums_of_thread<Sums, AreApart>(task, index, is_there, own, lanes);
    for (int distance = 1; distance < lanes; distance *= 2) sums.merge_lane(distance);
    if (own == turn) mine = sums;
  }
  const std::int64_t index = first + own * at_once + of_warp;
  std::byte* const out = task.out + offset_of(task, min(index, task.results - 1), true);
  bool fails = own < plan.vectors_in_turn && index < task.results && !store_if_certain(task, mine, out);
  if constexpr (Sums::can_try_again) {
    // The warp takes one after another.
    for (unsigned failing = __ballot_sync(all_lanes, fails); failing != 0; failing &= failing - 1) {
      const int of = __ffs(static_cast<int>(failing)) - 1;
      Again<Sums> sums =
          sums_of_thread<Again<Sums>, AreApart>(task, __shfl_sync(all_lanes, index, of), true, lane(), 32);
      for (int distance = 1; distance < 32; distance *= 2) sums.merge_lane(distance);
      if (lane() == of) fails = !store_if_certain(task, sums, out);
    }
  }
  if (__any_sync(all_lanes, fails) && lane() == 0) retry(task, first);
}

/// A block has a vector, or part of one.
template <class Sums>
__device__ __forceinline__ void reduce_long_rows(const AxisTask& task) {
  const int thread = static_cast<int>(threadIdx.x), splits = task.direct.splits;
  const auto index = static_cast<std::int64_t>(blockIdx.x / static_cast<unsigned>(splits));
  const int split = static_cast<int>(blockIdx.x % static_cast<unsigned>(splits));
  Sums sums = sums_of_thread<Sums, false>(task, index, true, split * direct_threads + thread,
                                          splits * direct_threads);
  merge_block(sums);
  if (splits > 1) {
    __shared__ bool is_last;
    Sums* const parts = reinterpret_cast<Sums*>(task.direct.parts) + index * splits;
    if (thread == 0) {
      parts[split] = sums;
      __threadfence();
      is_last = take_ticket(task.tickets[index]) == static_cast<unsigned>(splits) - 1;
      if (is_last) task.tickets[index] = 0;
    }
    __syncthreads();
    if (!is_last) return;
    sums = Sums{};
    for (int i = thread; i < splits; i += direct_threads) sums.merge(parts[i]);
    __syncthreads();
    merge_block(sums);
  }
  std::byte* const out = task.out + offset_of(task, index, true);
  bool fails = thread == 0 && !store_if_certain(task, sums, out);
  if constexpr (Sums::can_try_again) {
    if (splits == 1 && __syncthreads_or(fails)) {
      Again<Sums> again = sums_of_thread<Again<Sums>, false>(task, index, true, thread, direct_threads);
      merge_block(again);
      fails = thread == 0 && !store_if_certain(task, again, out);
    }
  }
  if (fails) retry(task, index);
}

template <class Sums, bool AreApart>
__global__ void __launch_bounds__(direct_threads, 4) rows_kernel(const __grid_constant__ AxisTask task) {
  wait_for_previous_launch();
  allow_dependent_launch();
  if (AreApart || task.direct.log_lanes <= 5)
    reduce_rows<Sums, AreApart>(task);
  else
    reduce_long_rows<Sums>(task);
}

}  // namespace foldline::cuda
