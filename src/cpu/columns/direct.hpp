// Results of few terms, many of them: sums in a few doubles and a bound, side by side.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "cpu/columns/columns.hpp"

namespace foldline::cpu {

/// Up to so many terms all layouts and types have a kernel.
inline constexpr std::int64_t most_direct_terms = 4096;

/// Whether the terms of a column are nearer to each other than columns, and enough of them for vectors.
inline bool is_along_rows(const Columns& x) {
  return x.rows >= 16 && std::abs(x.row_stride) < std::abs(x.column_stride);
}

/// Whether columns of which `left` are uncertain are done again one by one, as few ones or rows in memory
/// are.
inline bool are_done_alone(const Columns& x, std::int64_t left) {
  return left <= x.columns / 8 || x.row_stride == 1;
}

/// The results of the columns of a block, `out_stride` elements apart.
struct DirectBlock {
  Columns x;
  Operation operation;
  std::int64_t ddof;
  std::byte* out;
  ElementType out_type;
  std::int64_t out_stride;
};

/// Stores the results that are certain, and sets `uncertain` of the others to 1, whose results are
/// unspecified. Returns how many these are.
using ReduceDirect = std::int64_t (*)(const DirectBlock& block, std::uint8_t* uncertain);

/// The kernel for such blocks, for a target that available_targets() lists; null if there is none: then
/// BlockSums do all.
ReduceDirect direct_kernel_for(Target target, const DirectBlock& block);

// What it chooses among. Each is a source of its own: together they would take a compiler more than a minute.
ReduceDirect direct_float_kernel(Target target);
ReduceDirect direct_short_kernel(Target target);  // integers of 8 and 16 bits
ReduceDirect direct_long_kernel(Target target);   // of 32 and 64 bits

/// The same for extrema, all of which are certain.
using ReduceExtrema = void (*)(const DirectBlock& block);
ReduceExtrema extrema_kernel_for(Target target, const DirectBlock& block);

}  // namespace foldline::cpu
