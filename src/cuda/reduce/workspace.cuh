// Device memory that the blocks of a launch share. Zero before the first launch and after every launch.
#pragma once

#include <cstdint>

#include "arithmetic/windows.hpp"
#include "cuda/exact/block_limbs.cuh"
#include "cuda/finish/kernel_result.hpp"

namespace foldline::cuda {

/// The most levels of any sum.
inline constexpr int max_levels = 5;
/// Counts are cut into pieces of 22 bits, so that warps can sum them with 32-bit reduce instructions.
inline constexpr int piece_bits = 22;
inline constexpr int pieces_per_level = 3;
inline constexpr int max_pieces = max_levels * pieces_per_level;
inline constexpr int max_blocks = 2048;

/// The tag of each published piece: number of the launch, whether the block spilled, whether it has an
/// element other than -0, and its window, in [-2048, 2048).
struct BlockTag {
  std::uint32_t bits;

  static constexpr int window_bits = 12, epoch_bits = 18;
  static constexpr std::uint32_t last_epoch =
      (1u << epoch_bits) - 1;  // then again 1; 0 is that of cleared memory

  static __device__ __forceinline__ BlockTag of(std::uint32_t epoch, bool spilled, bool only_negative_zeros,
                                                int window) {
    return {epoch << (window_bits + 2) | (spilled ? 1u << (window_bits + 1) : 0u) |
            (only_negative_zeros ? 0u : 1u << window_bits) |
            static_cast<std::uint32_t>(window + (1 << (window_bits - 1)))};
  }
  __device__ __forceinline__ std::uint32_t epoch() const { return bits >> (window_bits + 2); }
  __device__ __forceinline__ bool spilled() const { return (bits >> (window_bits + 1) & 1) != 0; }
  __device__ __forceinline__ bool only_negative_zeros() const { return (bits >> window_bits & 1) == 0; }
  __device__ __forceinline__ int window() const {
    return static_cast<int>(bits & ((1u << window_bits) - 1)) - (1 << (window_bits - 1));
  }
};

/// A piece of a block's count (below 2^31 as a sum over its threads) with the block's tag. Both are written
/// and read as one word: a reader that finds the launch's tag has the piece.
struct TaggedPiece {
  std::int32_t piece;
  BlockTag tag;
};

/// The published counts of one sum. Pieces of neighbouring blocks are adjacent, since one warp reads them
/// (1.2 to 3 us faster on an H200 than blocks one after another).
struct Partials {
  std::uint64_t piece[max_pieces][max_blocks];
};

struct BlockSummary {
  std::int64_t lowest_key, highest_key;
  std::int64_t only_negative_zeros;
};

/// Of the numbers that hold all sums of integers of a launch.
inline constexpr int integer_words = 16;

struct Workspace {
  unsigned ticket;  // number of finished blocks
  unsigned epoch;   // of the last launch that published pieces
  Word limb[max_sums][word_count];
  Word special[max_sums][3];
  Partials partial[max_sums];
  BlockSummary summary[max_blocks];
  // Of integers: see GridSum; and the extrema of all blocks.
  alignas(32) Word integer[integer_words];
  Word integer_lowest, integer_highest;
};

}  // namespace foldline::cuda
