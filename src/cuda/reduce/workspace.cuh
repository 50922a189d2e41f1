// Device memory that the blocks of a launch share. Zero before the first launch; the last block of a launch
// leaves it so.
#pragma once

#include <cstdint>

#include "arithmetic/windows.hpp"
#include "cuda/exact/block_limbs.cuh"
#include "cuda/finish/results.hpp"

namespace foldline::cuda {

/// Of any sum that a kernel gathers.
inline constexpr int max_levels = 5;
/// A count is cut into pieces of 22 bits, whose sums over a block are taken by the warps' reduce
/// instructions.
inline constexpr int piece_bits = 22;
inline constexpr int pieces_per_level = 3;
inline constexpr int max_pieces = max_levels * pieces_per_level;
inline constexpr int max_blocks = 2048;

/// What a block says with each piece of its counts: which launch it is of, whether the block spilled, whether
/// it has another element than -0, and its window, which is in [-2048, 2048).
struct BlockTag {
  std::uint32_t bits;

  static constexpr int window_bits = 12, epoch_bits = 18;
  static constexpr std::uint32_t last_epoch =
      (1u << epoch_bits) - 1;  // then again 1; 0 is that of new memory

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

/// A piece of a block's count, below 2^31 as a sum over its threads, with the block's tag, written and read
/// at once: whoever finds the launch's tag has the piece.
struct TaggedPiece {
  std::int32_t piece;
  BlockTag tag;
};

/// The blocks' counts of one sum. Neighbours are pieces of neighbouring blocks, which one warp reads: those
/// of 264 blocks on an H200 in 1.2 to 3 us less than if each block's stood together.
struct Partials {
  std::uint64_t piece[max_pieces][max_blocks];
};

struct BlockSummary {
  std::int64_t lowest_key, highest_key;
  std::int64_t only_negative_zeros;
};

struct Workspace {
  unsigned ticket;  // blocks that are done
  unsigned epoch;   // of the last launch that leaves pieces
  Word limb[max_sums][word_count];
  Word special[max_sums][3];
  Partials partial[max_sums];
  BlockSummary summary[max_blocks];
  alignas(32) Word integer[4];  // see SharedNumber
};

}  // namespace foldline::cuda
