// Entries of an exact product: rounded from levels, or added up term by term.
#pragma once

#include "cuda/product/byte_slices.hpp"

namespace foldline::cuda {

/// The entries of a tile that something else has to settle: row * columns of the tile + column.
struct EntryList {
  std::uint32_t* entry;
  std::uint32_t* count;
};

/// Rounds and stores the entries of C that the levels settle, and lists the others. `left_out` is what may be
/// missing: see bounds_of_levels.
void round_entries(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
                   const Levels<std::int32_t>& sums, int levels, Int128 left_out, const EntryList& left,
                   cudaStream_t stream);
void round_entries(const MatrixProduct& tile, const LineScale* a_scales, const LineScale* b_scales,
                   const Levels<std::int64_t>& sums, int levels, Int128 left_out, const EntryList& left,
                   cudaStream_t stream);

/// The leading levels that are one number of 128 bits.
inline constexpr int leading_levels = 9;

/// Adds up the terms of entries, a block for each: `count` listed ones, or all if there is no list.
void add_up_entries(const MatrixProduct& tile, const std::uint32_t* list, std::int64_t count,
                    cudaStream_t stream);

}  // namespace foldline::cuda
