// The reduction kernel: one launch from elements to exact sums.
//
// Every thread adds batches to bins of a window that its block chose from the first batches. Blocks publish
// their counts in the workspace; one block adds them up (combine_blocks.cuh), writes the sums, and for
// asynchronous calls rounds the result. Integer addition makes the sums independent of the order.
#pragma once

#include "cuda/device/programmatic_launch.cuh"
#include "cuda/reduce/add_by_limbs.cuh"
#include "cuda/reduce/combine_blocks.cuh"
#include "cuda/reduce/read_ahead.cuh"
#include "cuda/reduce/retry_queue.cuh"

namespace foldline::cuda {

/// The most additions to one digit by a thread per tile: one per element, half as many again because queued
/// batches are shared out (a lane may get three of those from two tiles), and a few for its counts. Integer
/// products are four products of two terms each; of those only misfits are spilled, and moving a window
/// halves their number.
template <class Source, class Sums>
inline constexpr int spills_per_tile = Sums::spills_whole_terms ? Source::size * 3 / 2 + 4 : 40;

/// Tiles between two folds of digits into limbs: as many as digits take without overflow, counting what the
/// queue may hold from before.
template <class Source, class Sums, int Threads, int Copies>
inline constexpr int tiles_per_fold =
    max_spills_per_fold<Threads, Copies> / spills_per_tile<Source, Sums> - queue_capacity / 32;

/// A thread's state in the main loop: its sums, its next tile, and the size of its warp's queue.
template <class Sums>
struct LoopState {
  State<Sums> state;
  int tile, queued;
};

/// Adds tiles from `tile` to `end`, or fewer if the warp's queue may not have room. `next_batch` gives their
/// batches. No function is called here, so the state stays in registers.
template <class Sums, class NextBatch>
__device__ __forceinline__ LoopState<Sums> add_tiles(State<Sums> state, NextBatch next_batch, int tile,
                                                     int end, unsigned* queue, int queued) {
  const int step = static_cast<int>(gridDim.x);
  for (; tile < end && queued <= queue_capacity - 32; tile += step) {
    const auto batch = next_batch(tile);
    unsigned lacking = 0;
    for_each_sum(state.sums, [&](auto& sum, int index) { lacking |= sum.add(batch) ? 0u : 1u << index; });
    state.observe(batch);
    queued = enqueue(queue, queued, tile, lacking);
  }
  return {state, tile, queued};
}

/// The same with ReadAhead; the first batch may already be in flight. Not inlined: in the kernel, which calls
/// other functions, the compiler would keep the loop's state in local memory.
template <class Source, class Sums>
__device__ __noinline__ LoopState<Sums> add_tiles_ahead(State<Sums> state, const Source& from, int tile,
                                                        int end, unsigned* queue, int queued,
                                                        bool in_flight) {
  const Source source = from;  // a copy in registers
  ReadAhead<Source> ahead(source, max_bucket_bytes<Sums> * Source::threads, tile);
  if (!in_flight) ahead.start(tile);
  return add_tiles<Sums>(state, [&](int next) { return ahead.take(next); }, tile, end, queue, queued);
}

/// True if the launch has memory to read ahead.
template <class Source, class Sums>
__device__ __forceinline__ bool reads_ahead() {
  if constexpr (can_read_ahead<Source>)
    return dynamic_memory_bytes() >= max_bucket_bytes<Sums> * Source::threads + ReadAhead<Source>::bytes();
  return false;
}

/// True if the thread's full tiles have nothing but -0. The main loop does not test this; all elements are
/// read again, but only if the first batch may be -0 by its largest key.
template <class Source>
__device__ __noinline__ bool are_negative_zeros(const Source& source) {
  const int step = static_cast<int>(gridDim.x), thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int tile = static_cast<int>(blockIdx.x); tile < source.full_tiles; tile += step)
    if (!are_negative_zeros(source.reader(tile, thread).batch(), ~std::uint64_t{0})) return false;
  return true;
}

template <class Source, class Sums, int Threads>
__global__ void __launch_bounds__(Threads, 2)
    reduce_kernel(const __grid_constant__ Source source, Workspace* workspace, KernelResult* result,
                  const __grid_constant__ ResultTask task, bool may_wait) {
  __shared__ BlockMemory<Sums, Threads> memory;
  wait_for_previous_launch();
  State<Sums> state;
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int tile = static_cast<int>(blockIdx.x);
  int block_window[max_sums] = {};  // the block's windows; a warp may move its own
  bool is_ahead = false;
  [[maybe_unused]] bool uses_limbs = false;  // the block adds to limbs
  {
    typename Source::BatchType first;
    const auto prepare = [&] {  // overlaps the load of the first elements
      memory.clear();
      if (thread == 0) memory.epoch = workspace->epoch % BlockTag::last_epoch + 1;
    };
    if constexpr (can_read_ahead<Source>) {
      is_ahead = reads_ahead<Source, Sums>() && tile < source.full_tiles;
      if (is_ahead) {
        const ReadAhead<Source> ahead(source, max_bucket_bytes<Sums> * Threads, tile);
        ahead.request_first(tile);
        prepare();
        first = ahead.peek_first(tile);
      }
    }
    if (!is_ahead) {
      const auto reader = source.reader(tile, thread);
      first = tile < source.full_tiles ? reader.batch() : reader.masked_batch();
      if (tile + step < source.full_tiles) source.reader(tile + step, thread).prefetch();
      prepare();
    }
    constexpr bool keys_tell =
        Sums::count != 0 && !Source::BatchType::two_vectors;  // the keys are those of x only
    if constexpr (!keys_tell)
      if (tile < source.full_tiles) state.only_negative_zeros = are_negative_zeros(first, ~std::uint64_t{0});
    for_each_sum(state.sums, [&](auto& sum, int index) {
      const unsigned largest = sum.largest_key(first);
      if constexpr (keys_tell) state.only_negative_zeros &= largest == 0;
      sum.open_window_above(block_max<Threads>(largest, memory.highest[index]));
      if constexpr (can_have_limbs<Source, Sums>)
        if (has_limbs<Source, Sums>())
          uses_limbs = should_use_limbs<Threads>(sum, first, memory.highest[index][0]);
      block_window[index] = sum.window();
    });
  }

  unsigned* const queue = memory.queue[warp()];
  int queued = 0;
  int in_flight = is_ahead ? tile : -1;  // the first tile in flight, or -1
  const auto drain = [&](bool may_move) {
    state = drain_queue<Source, Sums, Threads>(state, source, queued, may_move, memory);
    queued = 0;
  };
  while (tile < source.full_tiles) {
    if constexpr (can_have_limbs<Source, Sums>)
      if (uses_limbs) {
        const int tiles = min(tiles_by_limbs, (source.full_tiles - tile + step - 1) / step);
        state = add_by_limbs<Source, Sums, Threads>(state, source, tile, tiles, memory);
        tile += tiles * step;
        in_flight = -1;
        state.spilled_tiles = 0;  // otherwise fitting tiles would still count as crowded
        if (tile >= source.full_tiles) break;
        uses_limbs = too_many_misfits<Threads>(state.sums, source.reader(tile, thread).batch());
        continue;
      }
    const int end =
        min(source.full_tiles, tile + tiles_per_fold<Source, Sums, Threads, memory.copies> * step);
    int last_drain = tile;  // tile at which the queue was last drained
    while (tile < end) {
      const LoopState<Sums> taken = [&] {
        if constexpr (can_read_ahead<Source>)
          // Not between tiles that are spilled: batches requested ahead would be discarded each time (sums of
          // 2^28 doubles over all exponents take 6 % longer).
          if (reads_ahead<Source, Sums>() && state.spilled_tiles == 0) {
            const bool is_in_flight = tile == in_flight;
            return add_tiles_ahead<Source, Sums>(state, source, tile, end, queue, queued, is_in_flight);
          }
        const auto batch_of = [&](int next) { return source.reader(next, thread).batch(); };
        return add_tiles<Sums>(state, batch_of, tile, end, queue, queued);
      }();
      state = taken.state;
      tile = taken.tile;
      in_flight = can_read_ahead<Source> && state.spilled_tiles == 0 ? tile : -1;
      queued = taken.queued;
      if (queued <= queue_capacity - 32) continue;
      const RetryPolicy retry_policy = cuda::retry_policy<Sums>();
      const bool is_filled_quickly = tile - last_drain <= retry_policy.tiles * step;
      drain(true);
      if (is_filled_quickly && state.drains != 0) {
        state.spilled_tiles = min(max(2 * state.spilled_tiles, retry_policy.first), retry_policy.most);
        const int next = tile + min(state.spilled_tiles, (end - tile + step - 1) / step) * step;
        state = spill_tiles<Source, Sums, Threads>(state, source, tile, next, memory);
        tile = next;
      } else {
        state.spilled_tiles = 0;
      }
      last_drain = tile;
    }
    if (tile < source.full_tiles && __syncthreads_or(state.spilled)) memory.fold(state.sums);
    if constexpr (can_have_limbs<Source, Sums>)
      if (tile < source.full_tiles && has_limbs<Source, Sums>())
        uses_limbs = __syncthreads_count(state.spilled_tiles != 0) > Threads / 2;
  }
  for (; tile < source.tiles; tile += step) {  // partial tiles
    if (queued > queue_capacity - 32) drain(true);
    const auto reader = source.reader(tile, thread);
    const auto batch = reader.masked_batch();
    const std::uint64_t present = reader.present();
    state.only_negative_zeros &= are_negative_zeros(batch, present);
    if constexpr (Sums::extrema) {
#pragma unroll
      for (int i = 0; i < Source::size; ++i)
        if ((present >> i & 1) != 0) state.extrema.add(batch.x[i]);
    }
    unsigned lacking = 0;
    for_each_sum(state.sums,
                 [&](auto& sum, int index) { lacking |= sum.add(batch, present) ? 0u : 1u << index; });
    queued = enqueue(queue, queued, tile, lacking);
  }
  if (queued > 0) drain(queued > queue_capacity - 32);

  if (state.only_negative_zeros) state.only_negative_zeros = are_negative_zeros(source);
  // Counts in a window that a warp moved cannot be added to those of other warps.
  for_each_sum(state.sums, [&](auto& sum, int index) {
    if (sum.window() != block_window[index]) sum.flush(memory.spill(sum, index));
  });
  if constexpr (Sums::extrema) {
    const std::int64_t lowest = warp_min(state.extrema.lowest), highest = ~warp_min(~state.extrema.highest);
    if (lane() == 0) {
      memory.lowest_key[warp()] = lowest;
      memory.highest_key[warp()] = highest;
    }
  }
  const BlockFlags flags = publish_partials<Threads>(state.sums, block_window, state.only_negative_zeros,
                                                     state.spilled, memory, *workspace, may_wait);
  allow_dependent_launch();
  if (memory.combines)
    combine_blocks<Threads>(state.sums, block_window, flags, memory, *workspace, *result, task);
}

}  // namespace foldline::cuda
