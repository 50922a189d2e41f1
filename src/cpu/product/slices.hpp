// Slices: the rows of A and the columns of B ("lines") as sums of whole numbers of few bits times powers of
// two, so that products of slices can be made by any matrix product without an error.
//
// The terms of a line are below 2^top. x = sum over s of v_s 2^(top + 1 - (s + 1) slice_bits), where v_0 is x
// rounded to a whole number of its unit, v_1 the same of what is left, and so on: as what is left is at most
// half a unit, |v_s| <= 2^(slice_bits - 1). A sum of slice_depth products is at most
// 2^(2 (slice_bits - 1)) slice_depth = 2^53, and so is every part of it: with or without an fma, in any
// order, each is a double.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.hpp"

namespace foldline::cpu {

inline constexpr int slice_bits = 22;
inline constexpr std::int64_t slice_depth = 2048;
static_assert((std::int64_t{1} << (2 * (slice_bits - 1))) * slice_depth == std::int64_t{1} << 53);
/// More slices than this cost more than adding up a line's products one by one.
inline constexpr int most_slices = 6;

/// Where the bits of a line are.
struct LineScale {
  int top;     // its terms are below 2^top
  int slices;  // that make it up: none if all its terms are zero, more than most_slices if it must not be cut

  bool can_be_cut() const { return slices <= most_slices; }
};

/// The scales of the rows of a matrix.
std::vector<LineScale> scales_of_rows(const MatrixOperand& matrix, int threads);

/// The slices of a few rows and a stretch of columns, row after row: slice s begins at
/// numbers + s * slice_size. Rows that can't be cut become zeros. `columns` is at most slice_depth.
void cut_rows(const MatrixOperand& matrix, const LineScale* scales, int slices, double* numbers,
              std::int64_t slice_size, int threads);

}  // namespace foldline::cpu
