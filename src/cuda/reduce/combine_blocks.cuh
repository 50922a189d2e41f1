// Combines the blocks of a reduction: every block publishes its counts in the workspace, and one block adds
// them up.
//
// That is either the last block to finish, known by a ticket, or the first, which waits for the others
// (launch_reduce.cuh chooses). Waiting needs no fence, no ticket and no second look at the counts: for 2^14
// to 2^18 doubles it saves 0.2 to 0.5 us of 4 to 5 on an H200.
#pragma once

#include "cuda/device/ticket.cuh"
#include "cuda/reduce/kernel_sums.cuh"
#include "cuda/reduce/round_limbs.cuh"
#include "cuda/reduce/round_result.cuh"

namespace foldline::cuda {

/// A 22-bit piece of a count; the highest carries the sign.
__device__ __forceinline__ int piece_of(std::int64_t count, int i) {
  const int shifted = static_cast<int>(count >> (piece_bits * i));
  return i == pieces_per_level - 1 ? shifted : shifted & ((1 << piece_bits) - 1);
}

/// Stores the pieces of a count, summed over the warp, in the warp's column of `piece`.
template <int Warps>
__device__ __forceinline__ void store_pieces(std::int64_t count, std::int32_t (*piece)[Warps]) {
  const int low = warp_sum(piece_of(count, 0)), middle = warp_sum(piece_of(count, 1)),
            high = warp_sum(piece_of(count, 2));
  if (lane() == 0) piece[0][warp()] = low, piece[1][warp()] = middle, piece[2][warp()] = high;
}

// Volatile, so that each is a single load or store: see bulk_copy.cuh.
__device__ __forceinline__ void write(std::uint64_t& slot, const TaggedPiece& piece) {
  *static_cast<volatile std::uint64_t*>(&slot) =
      std::uint64_t{piece.tag.bits} << 32 | static_cast<std::uint32_t>(piece.piece);
}
__device__ __forceinline__ TaggedPiece read(const std::uint64_t& slot) {
  const std::uint64_t both = *static_cast<const volatile std::uint64_t*>(&slot);
  return {static_cast<std::int32_t>(static_cast<std::uint32_t>(both)),
          {static_cast<std::uint32_t>(both >> 32)}};
}

/// Flags of one block, or combined over all blocks.
struct BlockFlags {
  bool same = true;  // all windows are the same
  bool spilled = false, only_negative_zeros = true;
};

/// Publishes the block's counts in the workspace or, for a single block, where combine_blocks expects the
/// totals. Returns the block's flags and sets `memory.combines` in the block that combines: the first if it
/// may wait for the others, else the last to come.
template <int Threads, class Sums>
__device__ BlockFlags publish_partials(Sums& sums, const int (&block_window)[max_sums],
                                       bool only_negative_zeros, bool spilled,
                                       BlockMemory<Sums, Threads>& memory, Workspace& workspace,
                                       bool may_wait) {
  constexpr int warps = Threads / 32;
  for_each_sum(sums, [&](auto& sum, int index) {
#pragma unroll
    for (int k = 0; k < sum.levels; ++k)
      store_pieces<warps>(sum.count[k], memory.piece[index - Sums::first_index] + k * pieces_per_level);
  });
  const bool block_spilled = __syncthreads_or(spilled);
  if (block_spilled) {
    memory.fold(sums);
    for_each_sum(sums, [&](auto&, int index) {
      for (int i = threadIdx.x; i < word_count; i += Threads)
        if (memory.limb[index][i] != 0) atomicAdd(&workspace.limb[index][i], memory.limb[index][i]);
      if (threadIdx.x < 3 && memory.special[index][threadIdx.x] != 0)
        atomicAdd(&workspace.special[index][threadIdx.x], memory.special[index][threadIdx.x]);
    });
    __syncthreads();
    memory.clear_limbs();
  }
  const bool all_negative_zeros = __syncthreads_and(only_negative_zeros);
  if (warp() == 0) {
    if (block_spilled)
      __threadfence();  // a block that sees the pieces must also see what this block has spilled
    for_each_sum(sums, [&](auto& sum, int index) {
      constexpr int of_window = sum.levels * pieces_per_level;
      if (lane() < sum.levels_published * pieces_per_level) {
        std::int64_t total = 0;
        if (lane() >= of_window)
          total = piece_of(static_cast<std::int64_t>(memory.below[index]), lane() - of_window);
        else
#pragma unroll
          for (int i = 0; i < warps; ++i) total += memory.piece[index - Sums::first_index][lane()][i];
        if (gridDim.x == 1)
          memory.total[index - Sums::first_index][lane()] = total;
        else
          write(workspace.partial[index].piece[lane()][blockIdx.x],
                {static_cast<std::int32_t>(total),
                 BlockTag::of(memory.epoch, block_spilled, all_negative_zeros, block_window[index])});
      }
    });
    if constexpr (Sums::extrema) {
      if (lane() == 0) {
        BlockSummary& summary = workspace.summary[blockIdx.x];
        summary.only_negative_zeros = all_negative_zeros;
        for (int i = 0; i < warps; ++i) {
          if (i == 0 || memory.lowest_key[i] < summary.lowest_key) summary.lowest_key = memory.lowest_key[i];
          if (i == 0 || memory.highest_key[i] > summary.highest_key)
            summary.highest_key = memory.highest_key[i];
        }
      }
      __syncwarp();
    }
    if (lane() == 0)
      memory.combines =
          gridDim.x == 1 || (may_wait ? blockIdx.x == 0 : take_ticket(workspace.ticket) == gridDim.x - 1);
  }
  __syncthreads();
  return {true, block_spilled, all_negative_zeros};
}

/// Pieces of so many blocks are loaded by a lane before it uses one, to hide the latency of global memory:
/// its share of the 264 blocks of an H200.
inline constexpr int blocks_per_load = 9;

/// Waits for the blocks' counts of one sum and adds them up piece by piece. Every warp reads some piece of
/// all blocks, so it sees all flags.
template <int Threads, class Sum>
__device__ __forceinline__ void add_pieces(const Partials& partial, std::uint32_t epoch, std::int64_t* total,
                                           BlockFlags& flags) {
  constexpr int warps = Threads / 32, pieces = Sum::levels_published * pieces_per_level;
  constexpr int own = (pieces - 1) / warps + 1;
  const int blocks = static_cast<int>(gridDim.x);
  int piece[own];
  std::int64_t sum[own] = {};
#pragma unroll
  for (int k = 0; k < own; ++k) piece[k] = min(warp() + k * warps, pieces - 1);
  const int window = read(partial.piece[0][blockIdx.x]).tag.window();
#pragma unroll 1
  for (int before = 0; before < blocks;
       before += 32 * blocks_per_load) {  // no lane leaves early, because warp_sum needs all
    const int first = before + lane();
    TaggedPiece of_block[own][blocks_per_load];
    bool all_published;
    do {
      all_published = true;
#pragma unroll
      for (int k = 0; k < own; ++k)
#pragma unroll
        for (int i = 0; i < blocks_per_load; ++i)
          of_block[k][i] = read(partial.piece[piece[k]][min(first + 32 * i, blocks - 1)]);
#pragma unroll
      for (int k = 0; k < own; ++k)
#pragma unroll
        for (int i = 0; i < blocks_per_load; ++i) all_published &= of_block[k][i].tag.epoch() == epoch;
    } while (!all_published);
#pragma unroll
    for (int k = 0; k < own; ++k)
#pragma unroll
      for (int i = 0; i < blocks_per_load; ++i) {
        const BlockTag tag = of_block[k][i].tag;
        flags.same &= tag.window() == window;
        flags.spilled |= tag.spilled();
        flags.only_negative_zeros &= tag.only_negative_zeros();
        sum[k] += first + 32 * i < blocks ? of_block[k][i].piece : 0;
      }
  }
#pragma unroll
  for (int k = 0; k < own; ++k) {
    const std::int64_t of_warp = warp_sum(sum[k]);
    if (lane() == 0 && warp() + k * warps < pieces) total[piece[k]] = of_warp;
  }
}

/// Writes a sum from the totals of its pieces, if all blocks had the same window; one warp, a lane per word.
template <class Sum>
__device__ __forceinline__ void write_pieces(const std::int64_t* total, int window, SumWords& sum) {
  // The highest piece starts at most this far above the lowest bit, and spans three words.
  constexpr int highest =
      (Sum::levels_published - 1) * BinWindow::width + (pieces_per_level - 1) * piece_bits + 31;
  static_assert(highest / 32 + 3 <= 32);
  const int lowest = exponent_of_piece<Sum>((Sum::levels_published - 1) * pieces_per_level, window);
  const int exponent =
      first_exponent + (lowest - first_exponent) / 32 * 32;  // a multiple of 32 bits, as in limbs
  std::int64_t word = 0;
#pragma unroll
  for (int piece = 0; piece < Sum::levels_published * pieces_per_level; ++piece) {
    // A shifted piece spans three words; the last carries the sign.
    const std::int64_t number = total[piece];
    const int offset = exponent_of_piece<Sum>(piece, window) - exponent, shift = offset % 32;
    const auto low = static_cast<std::uint64_t>(number) << shift;
    const int of_number = lane() - offset / 32;
    if (of_number == 0) word += static_cast<unsigned>(low);
    if (of_number == 1) word += static_cast<std::int64_t>(low >> 32);
    if (of_number == 2) word += number >> 1 >> (63 - shift);
  }
  const int words = 32 - __clz(static_cast<int>(__ballot_sync(all_lanes, word != 0)));
  if (lane() < words) sum.word[lane()] = word;
  if (lane() == 0) {
    sum.exponent = exponent;
    sum.words = words;
  }
}

/// Adds the blocks' counts of one sum to the limbs of the block that combines. Counts of equal windows are
/// summed first: there are few different windows, and atomic additions to one word of shared memory
/// serialise.
template <int Threads, class Sum>
__device__ __noinline__ void add_to_limbs(const Partials& partial, const std::int64_t* total, bool same,
                                          int window, Word* limb) {
  constexpr int pieces = Sum::levels_published * pieces_per_level;
  if (same) {
    const int piece = static_cast<int>(threadIdx.x);
    if (piece < pieces) cuda::add_to_limbs(limb, total[piece], exponent_of_piece<Sum>(piece, window));
    return;
  }
  const int blocks = static_cast<int>(gridDim.x);
  for (int piece = warp(); piece < pieces; piece += Threads / 32)
    for (int before = 0; before < blocks; before += 32 * blocks_per_load) {
      TaggedPiece of_block[blocks_per_load];
      unsigned left = 0;  // bit mask of the blocks not yet added
#pragma unroll
      for (int i = 0; i < blocks_per_load; ++i)
        of_block[i] = read(partial.piece[piece][min(before + 32 * i + lane(), blocks - 1)]);
#pragma unroll
      for (int i = 0; i < blocks_per_load; ++i)
        if (before + 32 * i + lane() < blocks && of_block[i].piece != 0) left |= 1u << i;
      while (const unsigned lanes = __ballot_sync(all_lanes, left != 0)) {
        int own_window = 0;
#pragma unroll
        for (int i = 0; i < blocks_per_load; ++i)
          if ((left >> i & 1) != 0) own_window = of_block[i].tag.window();
        const int its_window = __shfl_sync(all_lanes, own_window, __ffs(static_cast<int>(lanes)) - 1);
        std::int64_t sum = 0;
#pragma unroll
        for (int i = 0; i < blocks_per_load; ++i)
          if ((left >> i & 1) != 0 && of_block[i].tag.window() == its_window) {
            sum += of_block[i].piece;
            left &= ~(1u << i);
          }
        sum = warp_sum(sum);
        if (lane() == 0) cuda::add_to_limbs(limb, sum, exponent_of_piece<Sum>(piece, its_window));
        __syncwarp();
      }
    }
}

/// Writes the words from the first to the last non-zero one; one warp.
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

/// Adds what blocks spilled to the limbs of the block that combines, and clears the workspace.
template <int Threads, class Sums>
__device__ void add_spilled(Sums& sums, BlockMemory<Sums, Threads>& memory, Workspace& workspace) {
  for_each_sum(sums, [&](auto&, int index) {
    for (int i = threadIdx.x; i < word_count; i += Threads) {
      const Word word = __ldcg(&workspace.limb[index][i]);
      if (word != 0) atomicAdd(&memory.limb[index][i], word);
      workspace.limb[index][i] = 0;
    }
    if (threadIdx.x < 3) {
      memory.special[index][threadIdx.x] = __ldcg(&workspace.special[index][threadIdx.x]);
      workspace.special[index][threadIdx.x] = 0;
    }
  });
}

/// Run by the block that combines: adds up what all blocks published, writes the sums, clears the workspace,
/// and rounds the result if the task has a destination for it. `flags` are this block's own.
template <int Threads, class Sums>
__device__ void combine_blocks(Sums& sums, const int (&block_window)[max_sums], BlockFlags flags,
                               BlockMemory<Sums, Threads>& memory, Workspace& workspace, KernelResult& result,
                               const ResultTask& task) {
  constexpr int rounding_warp = max_sums + 1;
  const bool rounds = task.result.out != nullptr && threadIdx.x == rounding_warp * 32;
  const bool rounds_directly = task.result.out != nullptr && needs_one_sum<Sums>(task.result.operation);
  bool is_rounded = false;
  if (gridDim.x != 1)
    for_each_sum(sums, [&](auto& sum, int index) {
      using Sum = std::remove_reference_t<decltype(sum)>;
      add_pieces<Threads, Sum>(workspace.partial[index], memory.epoch,
                               memory.total[index - Sums::first_index], flags);
    });
  const bool same = __all_sync(all_lanes, flags.same), spilled = __any_sync(all_lanes, flags.spilled);
  if (spilled) __threadfence();  // makes what was spilled visible
  __syncthreads();
  if (same && !spilled) {
    for_each_sum(sums, [&](auto& sum, int index) {
      using Sum = std::remove_reference_t<decltype(sum)>;
      if (warp() == index)
        write_pieces<Sum>(memory.total[index - Sums::first_index], block_window[index], result.sum[index]);
      if (threadIdx.x < 3) result.sum[index].special[threadIdx.x] = 0;
      if constexpr (have_one_sum<Sums>)
        if (rounds_directly && threadIdx.x == rounding_warp * 32)
          is_rounded =
              round_pieces<Sums, Sum>(memory.total[index - Sums::first_index], block_window[index], task);
    });
  } else {
    for_each_sum(sums, [&](auto& sum, int index) {
      using Sum = std::remove_reference_t<decltype(sum)>;
      add_to_limbs<Threads, Sum>(workspace.partial[index], memory.total[index - Sums::first_index], same,
                                 block_window[index], memory.limb[index]);
    });
    add_spilled(sums, memory, workspace);
    __syncthreads();
    for_each_sum(sums, [&](auto&, int index) {
      if (warp() == index) write_words(memory.limb[index], result.sum[index]);
      if (threadIdx.x < 3)
        result.sum[index].special[threadIdx.x] =
            static_cast<std::int64_t>(memory.special[index][threadIdx.x]);
      if constexpr (have_one_sum<Sums>) {
        const Word* const special = memory.special[index];
        if (rounds_directly && warp() == rounding_warp && (special[0] | special[1] | special[2]) == 0)
          is_rounded = round_limbs<ToRound<Sums>>(memory.limb[index], task);
      }
    });
  }
  if (warp() == max_sums) {
    std::int64_t lowest = INT64_MAX, highest = INT64_MIN;
    bool only_negative_zeros = flags.only_negative_zeros;
    if constexpr (Sums::extrema) {
      for (int block = lane(); block < gridDim.x; block += 32) {
        const BlockSummary* summary = &workspace.summary[block];
        only_negative_zeros &= __ldcg(&summary->only_negative_zeros) != 0;
        lowest = min(lowest, __ldcg(&summary->lowest_key));
        highest = max(highest, __ldcg(&summary->highest_key));
      }
      lowest = warp_min(lowest);
      highest = ~warp_min(~highest);
    }
    only_negative_zeros = __all_sync(all_lanes, only_negative_zeros);
    if (lane() == 0) {
      result.lowest_key = lowest;
      result.highest_key = highest;
      result.only_negative_zeros = only_negative_zeros;
      workspace.ticket = 0;
      workspace.epoch = memory.epoch;
    }
  }
  if (memory.epoch == BlockTag::last_epoch)
    for (int i = threadIdx.x; i < max_sums * max_blocks * max_pieces; i += Threads)
      reinterpret_cast<std::uint64_t*>(workspace.partial)[i] = 0;
  if (task.result.out == nullptr) return;
  __syncthreads();
  static_assert(sizeof(ResultNumbers) <= sizeof memory.limb && alignof(ResultNumbers) <= alignof(Word));
  if (rounds && !is_rounded)
    round_and_store<ToRound<Sums>>(task, &result, *reinterpret_cast<ResultNumbers*>(memory.limb));
}

}  // namespace foldline::cuda
