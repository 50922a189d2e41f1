// Slices: the rows of A and the columns of B ("lines") as sums of integers of few bits times powers of two,
// so that any matrix product multiplies slices exactly.
//
// The terms of a line are below 2^top. x = sum over s of v_s 2^(top + 1 - (s + 1) slice_bits), where v_0 is x
// rounded to an integer number of its unit, v_1 the same of the remainder, and so on. As a remainder is at
// most half a unit, |v_s| <= 2^(slice_bits - 1). A sum of slice_depth products is at most 2^(2 (slice_bits -
// 1)) slice_depth = 2^53, and so is every partial sum: with or without an fma, in any order, each is a
// double.
#pragma once

#include <cstdint>
#include <vector>

#include "contract/backend.hpp"

namespace foldline::cpu {

inline constexpr int slice_bits = 22;
inline constexpr std::int64_t slice_depth = 2048;
static_assert((std::int64_t{1} << (2 * (slice_bits - 1))) * slice_depth == std::int64_t{1} << 53);
/// More slices than this cost more than adding a line's products one by one.
inline constexpr int most_slices = 6;

/// The position of a line's bits.
struct LineScale {
  int top;     // its terms are below 2^top
  int slices;  // slices of the line: 0 if all its terms are zero, more than most_slices if it must not be
               // sliced

  bool can_be_sliced() const { return slices <= most_slices; }
};

/// The scales of the rows of a matrix.
std::vector<LineScale> scales_of_rows(const MatrixOperand& matrix, int threads);

/// Writes the slices of a few rows and a range of columns, row after row: slice s begins at numbers + s *
/// slice_size. Rows that cannot be sliced become zeros. `columns` is at most slice_depth.
void cut_rows(const MatrixOperand& matrix, const LineScale* scales, int slices, double* numbers,
              std::int64_t slice_size, int threads);

}  // namespace foldline::cpu
