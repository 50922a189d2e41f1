// From the threads' counts to the result: each block leaves its own in the workspace, and the last one adds
// them up.
#pragma once

#include "cuda/gathered.cuh"

namespace foldline::cuda {

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
__device__ void leave(Sums& sums, const int (&opened)[max_sums], bool only_negative_zeros, bool spilled,
                      BlockMemory<Sums, Threads>& memory, Workspace& workspace) {
  constexpr int warps = Threads / 32;
  for_each_sum(sums, [&](auto& sum, int place) {
#pragma unroll
    for (int k = 0; k < sum.levels; ++k)
      leave_pieces<warps>(sum.count[k], memory.piece[place] + k * pieces_per_level);
  });
  if (__syncthreads_or(spilled)) {
    memory.fold(sums);
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
      if (lane() == 31) partial.window = opened[place];
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
template <int Threads, class Sum>
__device__ void gather_counts(const BlockPartial* partial, Word* limb) {
  constexpr int pieces = Sum::levels * pieces_per_level, warps = Threads / 32;
  constexpr int pieces_of_a_warp = (pieces + warps - 1) / warps;
  // All is read at once, as if the windows were the same: they nearly always are, and global memory is far.
  const std::int64_t window = __ldcg(&partial[0].window);
  bool same = true;
  for (int block = threadIdx.x; block < gridDim.x; block += Threads)
    same &= __ldcg(&partial[block].window) == window;
  std::int64_t total[pieces_of_a_warp] = {};
#pragma unroll
  for (int i = 0; i < pieces_of_a_warp; ++i)
    if (const int piece = warp() + i * warps; piece < pieces)
      for (int block = lane(); block < gridDim.x; block += 32)
        total[i] += __ldcg(&partial[block].piece[piece]);
  const auto add = [&](std::int64_t count, int piece, std::int64_t of_window) {
    if (count != 0)
      add_to_limbs(limb, count,
                   Sum::unit(static_cast<int>(of_window), piece / pieces_per_level) +
                       piece % pieces_per_level * piece_bits);
  };
  if (__syncthreads_and(same)) {
#pragma unroll
    for (int i = 0; i < pieces_of_a_warp; ++i) {
      const std::int64_t all = warp_sum(total[i]);
      if (lane() == 0) add(all, warp() + i * warps, window);
    }
  } else {
    for (int i = threadIdx.x; i < gridDim.x * pieces; i += Threads)
      add(__ldcg(&partial[i / pieces].piece[i % pieces]), i % pieces, __ldcg(&partial[i / pieces].window));
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
__device__ void conclude(Sums& sums, BlockMemory<Sums, Threads>& memory, Workspace& workspace,
                         KernelResult& result) {
  __threadfence();
  memory.clear_limbs();
  const bool limbs_used = __ldcg(&workspace.limbs_used) != 0;
  __syncthreads();
  for_each_sum(sums, [&](auto& sum, int place) {
    using Sum = std::remove_reference_t<decltype(sum)>;
    gather_counts<Threads, Sum>(workspace.partial[place], memory.limb[place]);
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

}  // namespace foldline::cuda
