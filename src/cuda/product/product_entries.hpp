// Computes entries of an exact product: by rounding levels, or by summing term by term.
#pragma once

#include "cuda/product/byte_slices.hpp"

namespace foldline::cuda {

/// Entries of a tile that the levels do not determine, as row * columns of the tile + column.
struct EntryList {
  std::uint32_t* entry;
  std::uint32_t* count;
};

/// Rounds and stores the entries of C that the levels determine, and lists the others. `left_out` bounds the
/// missing levels: see bounds_of_levels.
void round_entries(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
                   const Levels<std::int32_t>& sums, int levels, Int128 left_out, const EntryList& left,
                   cudaStream_t stream);
void round_entries(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
                   const Levels<std::int64_t>& sums, int levels, Int128 left_out, const EntryList& left,
                   cudaStream_t stream);

/// The leading levels that are combined to one 128-bit number.
inline constexpr int leading_levels = 9;

/// Sums entries term by term, one block each: the `count` listed ones, or all if `list` is null.
void add_up_entries(const MatrixProduct& tile, const std::uint32_t* list, std::int64_t count,
                    cudaStream_t stream);

}  // namespace foldline::cuda
