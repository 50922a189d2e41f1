// Device memory that the blocks of a launch share. Zero before the first launch; the last block of a launch
// leaves it so.
#pragma once

#include <cstdint>

#include "arithmetic/windows.hpp"
#include "cuda/block_limbs.cuh"
#include "cuda/results.hpp"

namespace foldline::cuda {

/// Of any sum that a kernel gathers.
inline constexpr int max_levels = 5;
/// A count is cut into pieces of 22 bits, whose sums over a block are taken by the warps' reduce
/// instructions.
inline constexpr int piece_bits = 22;
inline constexpr int pieces_per_level = 3;
inline constexpr int max_pieces = max_levels * pieces_per_level;
inline constexpr int max_blocks = 2048;

/// A piece of a block's count, below 2^31 as a sum over its threads, and the block's window: to be read at
/// once.
struct alignas(8) WindowPiece {
  std::int32_t piece, window;
};

/// A block's counts of one sum.
struct BlockPartial {
  WindowPiece piece[max_pieces];
};

struct BlockSummary {
  std::int64_t lowest_key, highest_key;
  std::int64_t only_negative_zeros;
};

/// A block's sum of integers, to be read at once: high * 2^64 + low.
struct alignas(16) IntegerPartial {
  std::uint64_t low;
  std::int64_t high;
};

struct Workspace {
  unsigned ticket;      // blocks that are done
  unsigned limbs_used;  // whether any block added to `limb` or `special`
  Word limb[max_sums][word_count];
  Word special[max_sums][3];
  BlockPartial partial[max_sums][max_blocks];
  BlockSummary summary[max_blocks];
  IntegerPartial integer[max_blocks];
};

}  // namespace foldline::cuda
