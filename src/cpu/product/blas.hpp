// The fast matrix product: by the BLAS library, or by plain loops in a build without one.
#pragma once

#include <cstdint>

namespace foldline::cpu {

/// A matrix whose rows or columns are contiguous: one stride is 1, the other at least the length of a row or
/// column.
template <class T>
struct DenseMatrix {
  T* data;
  std::int64_t rows, columns, row_stride, column_stride;
};

/// C = alpha A B + beta C with the given threads; C is not read if beta is 0. Only the inner size may be 0.
void multiply(double alpha, const DenseMatrix<const double>& a, const DenseMatrix<const double>& b,
              double beta, const DenseMatrix<double>& c, int threads);
void multiply(float alpha, const DenseMatrix<const float>& a, const DenseMatrix<const float>& b, float beta,
              const DenseMatrix<float>& c, int threads);
/// @}

}  // namespace foldline::cpu
