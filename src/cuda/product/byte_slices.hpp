// Rows of A and columns of B ("lines") as sums of slices of 8 bits, whose products tensor cores make and add
// up without an error.
//
// The terms of a line, integers of 53 bits times powers of two, are seen on one grid of bytes: slice s weighs
// 2^(exponent - 8 s). With digits in [-128, 127] instead of [0, 255] every integer has exactly one
// representation, whatever its sign: add 128 to each of its bytes, carry, and subtract 128 from each again. A
// term fills eight slices at most, wherever they are on the grid, and the others are zero: so the slices of a
// line with terms of very different sizes are made one by one, as far as they are needed.
//
// A product of two slices is at most 2^14 for each of its terms. As a level adds up the products
// of slices s and t with s + t = level, those of `level_pairs` such pairs fit 32 bits if
// level_pairs * terms <= 2^17.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "contract/backend.hpp"

namespace foldline::cuda {

inline constexpr int slice_bits = 8;
/// Slices of a double: 53 bits, and up to 9 to reach the end of a byte and leave the first one a sign.
inline constexpr int slices_of_term = 8;
inline constexpr std::int64_t most_pair_terms = (std::int64_t{1} << 17) - 1;
/// Rows of A, columns of B and terms are padded with zeros to multiples of these.
inline constexpr std::int64_t row_step = 256, column_step = 256, term_step = 128;

/// Where the bits of a line are.
struct LineScale {
  int exponent;  // of slice 0
  int slices;    // from the first to the last bit; 0 if all terms are zero, not_finite if one is not
};
inline constexpr int not_finite = INT32_MAX;

/// Slices of some lines: [slice][line][term], padded.
struct Slices {
  std::int8_t* data;
  int count;
  std::int64_t lines, terms;
};

/// Sums of products: [level][row][column].
template <class Sum>
struct Levels {
  Sum* data;
  std::int64_t rows, columns;  // padded
};

/// Sets the scales of the rows of a matrix.
void find_scales(const MatrixOperand& matrix, LineScale* scales, cudaStream_t stream);

/// Cuts rows: those behind the matrix's, its missing terms, and the rows that are not finite become zeros.
void cut_rows(const MatrixOperand& matrix, const LineScale* scales, const Slices& slices,
              cudaStream_t stream);

/// Adds up the products of slices of A and of B for the first levels, all of the terms.
void multiply_slices(const Slices& a, const Slices& b, int levels, const Levels<std::int32_t>& sums,
                     cudaStream_t stream);

/// Adds the sums of the first levels to those of more terms, which lie alike.
void add_sums(const Levels<std::int32_t>& sums, const Levels<std::int64_t>& totals, int levels,
              cudaStream_t stream);

}  // namespace foldline::cuda
