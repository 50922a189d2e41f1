/// @file
/// The product of two matrices.
///
///     std::vector<double> c(rows * columns);
///     foldline::matrix_product(foldline::MatrixView(a, rows, depth), foldline::MatrixView(b, depth,
///     columns),
///                              foldline::MutableArrayView(c.data(), {rows, columns}));
///
/// Exact, the default, every entry is the correctly rounded value of alpha * (row of A) . (column of B) +
/// beta * C, bit for bit the same on any machine; for alpha 1 and beta 0 that is dot() of the row and the
/// column. Accuracy::fast is what the BLAS library gives; on a GPU cuBLAS, which is looked for when it is
/// first needed (FOLDLINE_CUBLAS=off in the environment does without it), or kernels of the library's own.
///
/// The exact product cuts every row and column into slices of few bits: products of slices are sums of whole
/// numbers, which the BLAS library, or a GPU's tensor cores, make without an error, in whatever order (K.
/// Ozaki, T. Ogita, S. Oishi, S. M. Rump: Error-free transformations of matrix multiplication by using fast
/// routines of matrix multiplication and its applications, 2012; H. Ootomo, K. Ozaki, R. Yokota: DGEMM on
/// integer matrix multiplication unit, 2024). Entries that so many slices don't settle are summed up term by
/// term.
#pragma once

#include "foldline/array_view.hpp"
#include "foldline/context.hpp"
#include "foldline/export.hpp"

namespace foldline {

/// The numbers of a product; `{}` is A B.
struct ProductOptions {
  double alpha = 1;  ///< what A B is multiplied by
  double beta = 0;   ///< what C, as it was, is multiplied by before it is added
};

/// C = alpha A B + beta C for A of m x k, B of k x n and C of m x n elements, float32 or float64, of any
/// strides: a MatrixView, or an ArrayView of two axes, is taken as it lies; a transpose is the same data with
/// the strides exchanged, as MatrixView::transposed() gives it. Any of m, n and k may be 0.
///
/// As in BLAS, C is not read if beta is 0, and A and B are not if alpha is. An exact product may have a C of
/// the other type than A and B, and is still rounded once; a fast one needs all three alike.
///
/// Time is O(m n k). An exact product of doubles takes some 8 to 12 times as long as a fast one, of floats 10
/// to 17 times, of small whole numbers less than twice, on a CPU; of terms that are more than some 80 binades
/// apart within a row or column it is a dot product for each entry, 100 to 200 times. Memory is some 120 MB
/// at most and, for what is not settled by slices, 1024 k elements; a fast product copies operands whose
/// strides the BLAS library does not take. On a GPU see docs/matrix-product.md; matrices of the host's are
/// copied to it, exact products take up to 2 GB there, which is kept for later ones.
///
/// Throws InvalidArgument if an operand is not float32 or float64 or has not two axes, the shapes do not fit,
/// A and B are of different types, alpha or beta is not finite, C shares memory with A or B, or the context
/// cannot be met. Throws DeviceError if CUDA or cuBLAS reports an error, such as too little memory.
FOLDLINE_API void matrix_product(const ArrayView& a, const ArrayView& b, const MutableArrayView& c,
                                 const ProductOptions& options = {}, const Context& context = {});

}  // namespace foldline
