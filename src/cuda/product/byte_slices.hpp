// Rows of A and columns of B ("lines") as sums of 8-bit slices, whose products tensor cores compute and add
// exactly.
//
// The terms of a line, 53-bit integers times powers of two, are aligned on one grid of bytes: slice s has the
// weight 2^(exponent - 8 s). Digits are in [-128, 127], so every integer has exactly one representation
// whatever its sign: add 128 to each byte, propagate carries, and subtract 128 from each byte. A term has at
// most eight non-zero slices, anywhere on the grid; a line with terms of very different sizes has more
// slices, computed only as far as they are needed.
//
// A product of two slices is at most 2^14 per term. A level is the sum of the products of slices s and t with
// s + t = level; `level_pairs` such pairs fit in 32 bits if level_pairs * terms <= 2^17.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "contract/backend.hpp"

namespace foldline::cuda {

inline constexpr int slice_bits = 8;
/// Slices of a double: 53 bits, and up to 9 for alignment to a byte and the sign.
inline constexpr int slices_of_term = 8;
inline constexpr std::int64_t max_pair_terms = (std::int64_t{1} << 17) - 1;
/// Rows of A, columns of B and terms are padded with zeros to multiples of these.
inline constexpr std::int64_t row_step = 256, column_step = 256, term_step = 128;

/// The position of a line's bits on the grid.
struct LineScale {
  int exponent;  // of slice 0
  int slices;  // from the first to the last bit; 0 if all terms are zero, not_finite if a term is not finite
};
inline constexpr int not_finite = INT32_MAX;

/// Slices of lines: [slice][line][term], padded.
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

/// Computes the scales of a matrix's rows.
void find_scales(const MatrixOperand& matrix, LineScale* scales, cudaStream_t stream);

/// Cuts rows into slices. Padding and rows that are not finite become zeros.
void cut_rows(const MatrixOperand& matrix, const LineScale* scales, const Slices& slices,
              cudaStream_t stream);

/// Sums the products of slices of A and of B for the first `levels` levels over all terms.
void multiply_slices(const Slices& a, const Slices& b, int levels, const Levels<std::int32_t>& sums,
                     cudaStream_t stream);

/// Adds `sums` to the totals over several chunks of terms, which have the same layout.
void add_sums(const Levels<std::int32_t>& sums, const Levels<std::int64_t>& totals, int levels,
              cudaStream_t stream);

}  // namespace foldline::cuda
