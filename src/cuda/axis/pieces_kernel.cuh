// Reductions of short vectors, or of interleaved ones, that lie in a short piece of memory each: a block
// copies some pieces to shared memory, as they lie, and its threads take results from there, whatever their
// elements' distances are.
#pragma once

#include "cuda/axis/interleaved_kernel.cuh"
#include "cuda/device/async_copy.cuh"

namespace foldline::cuda {

/// Copies elements of T to shared memory, where they have the same place in 16 bytes.
template <class T>
__device__ __forceinline__ void copy_block(std::byte* to, const std::byte* from, int bytes) {
  const int thread = static_cast<int>(threadIdx.x);
  const int before = -static_cast<int>(reinterpret_cast<std::uintptr_t>(from)) & 15;
  const int begin = min(before, bytes), end = begin + ((bytes - begin) & ~15);
  for (int i = begin + thread * 16; i < end; i += direct_threads * 16) copy_to_shared<16>(to + i, from + i);
  commit_group();
  // Less than 16 bytes at each end.
  constexpr int width = sizeof(T);
  const int i = thread < 16 ? thread * width : end + (thread - 16) * width;
  if (thread < 32 && i < (thread < 16 ? begin : bytes))
    *reinterpret_cast<BitsOf<T>*>(to + i) = bits_of_element<T>(from + i);
  wait_for_groups<0>();
  __syncthreads();
}

template <class Sums>
__global__ void __launch_bounds__(direct_threads, 3) pieces_kernel(const __grid_constant__ AxisTask task) {
  using T = typename Sums::Element;
  wait_for_previous_launch();
  allow_dependent_launch();
  const PiecesPlan& plan = task.direct.pieces;
  const ResultAxis& along = task.axes[plan.axis];
  const auto groups = static_cast<unsigned>(task.direct.groups);
  const std::int64_t first_piece = std::int64_t{blockIdx.x % groups} * plan.of_block;
  const auto pieces = static_cast<int>(min(std::int64_t{plan.of_block}, along.extent - first_piece));
  const std::int64_t first = (blockIdx.x / groups * along.extent + first_piece) * plan.columns;
  const std::byte* const from = task.x + offset_of(task, first, false);
  std::byte* const tile = dynamic_memory() + (reinterpret_cast<std::uintptr_t>(from) & 15);
  const auto pitch = static_cast<int>(along.stride), stride = static_cast<int>(task.stride);
  copy_block<T>(tile, from, (pieces - 1) * pitch + plan.bytes);

  struct Position {
    int across, down, rows_of_block;
  };
  const int across = 1 << task.direct.log_lanes, thread = static_cast<int>(threadIdx.x);
  const Position position{thread & (across - 1), thread >> task.direct.log_lanes,
                          direct_threads >> task.direct.log_lanes};
  const int results = pieces * plan.columns;
  for (int turn = 0; turn < results; turn += across) {
    const int own = turn + position.across;
    const bool is_there = own < results;
    const int piece = is_there ? own / plan.columns : 0, column = is_there ? own - piece * plan.columns : 0;
    const std::byte* const x = tile + piece * pitch + column * plan.column_stride;
    const auto first_bits = bits_of_element<T>(x);
    const int count = is_there && position.down < task.length
                          ? (task.length - 1 - position.down) / position.rows_of_block + 1
                          : 0;
    const VectorElements<int> vector{x + position.down * stride, position.rows_of_block * stride, count,
                                     count == 0 ? 0 : piece * plan.turn_of_piece % count};
    std::byte* const out = task.out + offset_of(task, first + (is_there ? own : 0), true);
    if constexpr (has_plain_sums<Sums>)
      if (task.direct.is_plain) {
        unsigned bits;
        if (!is_there) continue;
        if (plain_result<Sums>(bounded_task(task), vector, first_bits, bits)) {
          store_bits(out, bits, task.out_bytes);
          continue;
        }
      }
    Sums sums[1] = {sums_of_elements<Sums>(task, vector, first_bits)};
    if (position.rows_of_block > 1) merge_rows_of_threads(sums, position, across);
    bool fails = is_there && position.down == 0 && !store_if_certain(task, sums[0], out);
    if constexpr (Sums::can_try_again) {
      if (__syncthreads_or(fails)) {
        Again<Sums> again[1] = {sums_of_elements<Again<Sums>>(task, vector, first_bits)};
        if (position.rows_of_block > 1) merge_rows_of_threads(again, position, across);
        fails = fails && !store_if_certain(task, again[0], out);
      }
    }
    if (fails) retry(task, first + own);
  }
}

}  // namespace foldline::cuda
