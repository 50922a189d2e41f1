// The reduce pattern: one launch, from elements to exact sums.
//
// Every thread adds batches in bins of a window that its block chose from the first ones. The blocks leave
// their counts in the workspace; the one that comes last adds them up and writes the result. Addition of
// integers: no order matters.
#pragma once

#include "cuda/block.cuh"
#include "cuda/sources.cuh"
#include "cuda/thread_sum.cuh"
#include "cuda/workspace.cuh"

namespace foldline::cuda {

/// Stands for a sum that is not needed.
struct NoSum {
  static constexpr int levels = 0;
};

/// What a kernel gathers. The three sums are ThreadSum or NoSum.
template <class Values_, class Magnitudes_, class Products_, bool Extrema_>
struct Gathered {
  Values_ values;
  Magnitudes_ magnitudes;
  Products_ products;
  static constexpr bool extrema = Extrema_;
};

/// Calls f(sum, its place) for every sum there is.
template <class Sums, class F>
__device__ __forceinline__ void for_each_sum(Sums& sums, F f) {
  if constexpr (decltype(sums.values)::levels != 0) f(sums.values, 0);
  if constexpr (decltype(sums.magnitudes)::levels != 0) f(sums.magnitudes, 1);
  if constexpr (decltype(sums.products)::levels != 0) f(sums.products, 2);
}

template <int Threads>
struct BlockMemory {
  Word limb[max_sums][word_count];
  Word special[max_sums][3];
  unsigned highest[max_sums][Threads / 32];
  std::int64_t piece[max_sums][max_pieces][Threads / 32];
  std::int64_t lowest_key[Threads / 32], highest_key[Threads / 32];
  bool is_last;

  __device__ void clear_limbs() {
    for (int i = threadIdx.x; i < max_sums * word_count; i += Threads) limb[0][i] = 0;
    if (threadIdx.x < max_sums * 3) special[0][threadIdx.x] = 0;
  }
};

/// Leaves the pieces of a count, summed over the warp, in its column of `piece`.
template <int Warps>
__device__ __forceinline__ void leave_pieces(std::int64_t count, std::int64_t (*piece)[Warps]) {
  constexpr int mask = (1 << piece_bits) - 1;
  const int low = warp_sum(static_cast<int>(count) & mask);
  const int middle = warp_sum(static_cast<int>(count >> piece_bits) & mask);
  const int high = warp_sum(static_cast<int>(count >> (2 * piece_bits)));
  if (lane() == 0) piece[0][warp()] = low, piece[1][warp()] = middle, piece[2][warp()] = high;
}

/// Leaves what the block has in the workspace.
template <int Threads, class Sums>
__device__ void leave(Sums& sums, bool only_negative_zeros, bool used_limbs, BlockMemory<Threads>& memory,
                      Workspace& workspace) {
  constexpr int warps = Threads / 32;
  for_each_sum(sums, [&](auto& sum, int place) {
#pragma unroll
    for (int k = 0; k < sum.levels; ++k)
      leave_pieces<warps>(sum.count[k], memory.piece[place] + k * pieces_per_level);
  });
  if (__syncthreads_or(used_limbs)) {
    for_each_sum(sums, [&](auto&, int place) {
      for (int i = threadIdx.x; i < word_count; i += Threads)
        if (memory.limb[place][i] != 0) atomicAdd(&workspace.limb[place][i], memory.limb[place][i]);
      if (threadIdx.x < 3 && memory.special[place][threadIdx.x] != 0)
        atomicAdd(&workspace.special[place][threadIdx.x], memory.special[place][threadIdx.x]);
    });
    if (threadIdx.x == 0) workspace.limbs_used = 1;
    __threadfence();
  }
  const bool all_negative_zeros = __syncthreads_and(only_negative_zeros);
  if (warp() == 0) {
    for_each_sum(sums, [&](auto& sum, int place) {
      BlockPartial& partial = workspace.partial[place][blockIdx.x];
      if (lane() < sum.levels * pieces_per_level) {
        std::int64_t total = 0;
#pragma unroll
        for (int i = 0; i < warps; ++i) total += memory.piece[place][lane()][i];
        partial.piece[lane()] = total;
      }
      if (lane() == 31) partial.anchor_high = sum.window.anchor_high;
    });
    if (lane() == 0) {
      BlockSummary& summary = workspace.summary[blockIdx.x];
      summary.only_negative_zeros = all_negative_zeros;
      if constexpr (Sums::extrema)
        for (int i = 0; i < warps; ++i) {
          if (i == 0 || memory.lowest_key[i] < summary.lowest_key) summary.lowest_key = memory.lowest_key[i];
          if (i == 0 || memory.highest_key[i] > summary.highest_key)
            summary.highest_key = memory.highest_key[i];
        }
    }
    __threadfence();
    __syncwarp();
    if (lane() == 0) memory.is_last = atomicAdd(&workspace.ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
}

/// Adds up the blocks' counts of one sum, in the limbs of the last block.
template <int Threads, int Levels>
__device__ void gather_counts(const BlockPartial* partial, Word* limb) {
  const std::int64_t anchor = __ldcg(&partial[0].anchor_high);
  bool same = true;
  for (int block = threadIdx.x; block < gridDim.x; block += Threads)
    same &= __ldcg(&partial[block].anchor_high) == anchor;
  const auto add = [&](std::int64_t total, int piece, std::int64_t anchor_high) {
    const Window<Levels> window{static_cast<int>(anchor_high)};
    add_to_limbs(limb, total, window.unit(piece / pieces_per_level) + piece % pieces_per_level * piece_bits);
  };
  if (__syncthreads_and(same)) {
    for (int piece = warp(); piece < Levels * pieces_per_level; piece += Threads / 32) {
      std::int64_t total = 0;
      for (int block = lane(); block < gridDim.x; block += 32) total += __ldcg(&partial[block].piece[piece]);
      total = warp_sum(total);
      if (lane() == 0 && total != 0) add(total, piece, anchor);
    }
  } else {
    for (int i = threadIdx.x; i < gridDim.x * Levels * pieces_per_level; i += Threads) {
      const int block = i / (Levels * pieces_per_level), piece = i % (Levels * pieces_per_level);
      const std::int64_t count = __ldcg(&partial[block].piece[piece]);
      if (count != 0) add(count, piece, __ldcg(&partial[block].anchor_high));
    }
  }
}

/// Writes the words from the first to the last that is not zero; one warp.
__device__ inline void write_words(const Word* limb, SumWords& sum) {
  int first = word_count, last = -1;
  for (int i = lane(); i < word_count; i += 32)
    if (limb[i] != 0) {
      first = min(first, i);
      last = i;
    }
  first = static_cast<int>(~warp_max(~static_cast<unsigned>(first)));
  last = static_cast<int>(warp_max(static_cast<unsigned>(last + 1))) - 1;
  const int words = last < first ? 0 : last - first + 1;
  for (int i = lane(); i < words; i += 32) sum.word[i] = static_cast<std::int64_t>(limb[first + i]);
  if (lane() == 0) {
    sum.exponent = first_exponent + 32 * first;
    sum.words = words;
  }
}

/// What the last block does: adds up what the others left, writes the result, clears the workspace.
template <int Threads, class Sums>
__device__ void conclude(Sums& sums, BlockMemory<Threads>& memory, Workspace& workspace,
                         KernelResult& result) {
  __threadfence();
  memory.clear_limbs();
  const bool limbs_used = __ldcg(&workspace.limbs_used) != 0;
  __syncthreads();
  for_each_sum(sums, [&](auto& sum, int place) {
    using Sum = std::remove_reference_t<decltype(sum)>;
    gather_counts<Threads, Sum::levels>(workspace.partial[place], memory.limb[place]);
    if (limbs_used)
      for (int i = threadIdx.x; i < word_count; i += Threads) {
        const Word word = __ldcg(&workspace.limb[place][i]);
        if (word != 0) atomicAdd(&memory.limb[place][i], word);
        workspace.limb[place][i] = 0;
      }
    if (threadIdx.x < 3) {
      result.sum[place].special[threadIdx.x] =
          static_cast<std::int64_t>(__ldcg(&workspace.special[place][threadIdx.x]));
      if (limbs_used) workspace.special[place][threadIdx.x] = 0;
    }
  });
  __syncthreads();
  for_each_sum(sums, [&](auto&, int place) {
    if (warp() == place) write_words(memory.limb[place], result.sum[place]);
  });
  if (warp() == max_sums) {
    std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
    bool only_negative_zeros = true;
    for (int block = lane(); block < gridDim.x; block += 32) {
      const BlockSummary* summary = &workspace.summary[block];
      only_negative_zeros &= __ldcg(&summary->only_negative_zeros) != 0;
      if constexpr (Sums::extrema) {
        lowest = min(lowest, __ldcg(&summary->lowest_key));
        highest = max(highest, __ldcg(&summary->highest_key));
      }
    }
    only_negative_zeros = __all_sync(all_lanes, only_negative_zeros);
    if constexpr (Sums::extrema) {
      lowest = warp_min(lowest);
      highest = ~warp_min(~highest);
    }
    if (lane() == 0) {
      result.lowest_key = lowest;
      result.highest_key = highest;
      result.only_negative_zeros = only_negative_zeros;
      workspace.limbs_used = 0;
      workspace.ticket = 0;
    }
  }
}

template <class Source, class Sums, int Threads>
__global__ void __launch_bounds__(Threads, 2)
    reduce_kernel(const __grid_constant__ Source source, Workspace* workspace, KernelResult* result) {
  __shared__ BlockMemory<Threads> memory;
  Sums sums;
  int tile = static_cast<int>(blockIdx.x);
  auto batch = source.take(tile);
  memory.clear_limbs();
  for_each_sum(sums, [&](auto& sum, int place) {
    using Sum = std::remove_reference_t<decltype(sum)>;
    Largest largest;
#pragma unroll
    for (int i = 0; i < Source::size; ++i)
      Sum::Terms::give(widen(batch.x[i]), widen(batch.second(i)), largest);
    sum.open_above(block_max<Threads>(largest.high, memory.highest[place]));
  });
  __syncthreads();

  Sums opened = sums;  // the block's windows: a thread may move its own
  bool only_negative_zeros = true, used_limbs = false;
  std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
  for (;;) {
    for_each_sum(sums, [&](auto& sum, int place) {
      if (__builtin_expect(!sum.add(batch), 0)) {
        used_limbs = true;
        sum = add_with_care(sum, source, tile, memory.limb[place], memory.special[place]);
      }
    });
    if (only_negative_zeros)  // seldom for more than one batch
      for (int i = 0; i < Source::size; ++i) only_negative_zeros &= is_negative_zero(batch.x[i]);
    if constexpr (Sums::extrema) {
#pragma unroll
      for (int i = 0; i < Source::size; ++i)
        if ((batch.present >> i & 1) != 0) {
          const std::int64_t key = key_of(batch.x[i]);
          lowest = min(lowest, key);
          highest = max(highest, key);
        }
    }
    tile += static_cast<int>(gridDim.x);
    if (tile >= source.tiles) break;
    batch = source.take(tile);
  }

  // A window of a thread's own: its counts cannot be added to the others'.
  const auto settle = [&](auto& sum, const auto& own, int place) {
    if (sum.window.anchor_high == own.window.anchor_high) return;
    sum.flush(memory.limb[place]);
    sum.window = own.window;
  };
  if constexpr (decltype(sums.values)::levels != 0) settle(sums.values, opened.values, 0);
  if constexpr (decltype(sums.magnitudes)::levels != 0) settle(sums.magnitudes, opened.magnitudes, 1);
  if constexpr (decltype(sums.products)::levels != 0) settle(sums.products, opened.products, 2);
  if constexpr (Sums::extrema) {
    lowest = warp_min(lowest);
    highest = ~warp_min(~highest);
    if (lane() == 0) {
      memory.lowest_key[warp()] = lowest;
      memory.highest_key[warp()] = highest;
    }
  }
  leave<Threads>(sums, only_negative_zeros, used_limbs, memory, *workspace);
  if (memory.is_last) conclude<Threads>(sums, memory, *workspace, *result);
}

}  // namespace foldline::cuda
