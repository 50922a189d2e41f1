// The reduce pattern: one launch, from elements to exact sums.
//
// Every thread adds batches in bins of a window that its block chose from the first ones. The blocks leave
// their counts in the workspace; the one that comes last adds them up and writes the result. Addition of
// integers: no order matters.
#pragma once

#include "cuda/conclude.cuh"
#include "cuda/deferred.cuh"
#include "cuda/sources.cuh"

namespace foldline::cuda {

/// Additions to digits that a thread makes for a tile, at most: for each element one, or two for each of four
/// products of integers, and its counts.
inline constexpr int max_spills_per_tile = 40;

/// The largest key of a batch of a tile that may not be full.
template <class Sum, class Reader>
__device__ __noinline__ unsigned largest_key(Reader reader) {
  return Sum::largest_key(read_one_by_one(reader));
}

/// Tiles between two barriers, at which digits go to the limbs: what is spilled for them, and for what a
/// queue holds from before, must not be too much for the digits.
template <int Threads>
inline constexpr int tiles_per_fold =
    max_spills_per_fold<Threads> / max_spills_per_tile - queue_capacity / 32;

template <class Source, class Sums, int Threads>
__global__ void __launch_bounds__(Threads, 2)
    reduce_kernel(const __grid_constant__ Source source, Workspace* workspace, KernelResult* result) {
  __shared__ BlockMemory<Sums, Threads> memory;
  State<Sums> state;
  const int thread = static_cast<int>(threadIdx.x), step = static_cast<int>(gridDim.x);
  int tile = static_cast<int>(blockIdx.x);
  memory.clear_digits();
  memory.clear_limbs();
  int opened[max_sums] = {};  // the block's windows: a warp may move its own
  for_each_sum(state.sums, [&](auto& sum, int place) {
    using Sum = std::remove_reference_t<decltype(sum)>;
    const unsigned largest = tile < source.full_tiles ? Sum::largest_key(source.reader(tile, thread).batch())
                                                      : largest_key<Sum>(source.reader(tile, thread));
    sum.open_above(block_max<Threads>(largest, memory.highest[place]));
    opened[place] = sum.window();
  });
  __syncthreads();

  unsigned* const queue = memory.queue[warp()];
  int queued = 0;
  const auto drain = [&] {
    state = add_deferred<Source, Sums, Threads>(state, source, queued, queued > queue_capacity - 32, memory);
    queued = 0;
  };
  while (tile < source.full_tiles) {
    const int end = min(source.full_tiles, tile + tiles_per_fold<Threads> * step);
    while (tile < end) {
      // Nothing is called in this loop: its state is in registers.
      for (; tile < end && queued <= queue_capacity - 32; tile += step) {
        const auto batch = source.reader(tile, thread).batch();
        unsigned lacking = 0;
        for_each_sum(state.sums, [&](auto& sum, int place) { lacking |= sum.add(batch) ? 0u : 1u << place; });
        if (state.only_negative_zeros)  // seldom for more than one batch
          for (int i = 0; i < Source::size; ++i) state.only_negative_zeros &= is_negative_zero(batch.x[i]);
        if constexpr (Sums::extrema) {
#pragma unroll
          for (int i = 0; i < Source::size; ++i) state.extrema.add(batch.x[i]);
        }
        queued = defer(queue, queued, tile, lacking);
      }
      if (queued > queue_capacity - 32) drain();
    }
    if (tile < source.full_tiles && __syncthreads_or(state.spilled)) memory.fold(state.sums);
  }
  for (; tile < source.tiles; tile += step) {  // not full
    if (queued > queue_capacity - 32) drain();
    const auto reader = source.reader(tile, thread);
    const auto batch = read_one_by_one(reader);
    std::uint64_t present = 0;
#pragma unroll
    for (int i = 0; i < Source::size; ++i) {
      if (!reader.is_present(i)) continue;
      present |= std::uint64_t{1} << i;
      state.only_negative_zeros &= is_negative_zero(batch.x[i]);
      if constexpr (Sums::extrema) state.extrema.add(batch.x[i]);
    }
    unsigned lacking = 0;
    for_each_sum(state.sums,
                 [&](auto& sum, int place) { lacking |= sum.add(batch, present) ? 0u : 1u << place; });
    queued = defer(queue, queued, tile, lacking);
  }
  if (queued > 0) drain();

  // The counts of a window of a warp's own cannot be added to the others'.
  for_each_sum(state.sums, [&](auto& sum, int place) {
    if (sum.window() != opened[place]) sum.flush(memory.spill(sum, place));
  });
  if constexpr (Sums::extrema) {
    const std::int64_t lowest = warp_min(state.extrema.lowest), highest = ~warp_min(~state.extrema.highest);
    if (lane() == 0) {
      memory.lowest_key[warp()] = lowest;
      memory.highest_key[warp()] = highest;
    }
  }
  leave<Threads>(state.sums, opened, state.only_negative_zeros, state.spilled, memory, *workspace);
  if (memory.is_last) conclude<Threads>(state.sums, memory, *workspace, *result);
}

}  // namespace foldline::cuda
