// The fast matrix product of a build without BLIS: plain loops, row by row, some rows of B at a time.
#include <algorithm>

#include "cpu/product/blas.hpp"

namespace foldline::cpu {

namespace {

// Rows and columns of B that stay in L2 cache while the rows of C pass: 64 x 512 doubles are 256 KB.
constexpr std::int64_t plain_block_rows = 64;
constexpr std::int64_t plain_block_columns = 512;

template <class T>
void multiply_plainly(T alpha, const DenseMatrix<const T>& a, const DenseMatrix<const T>& b, T beta,
                      const DenseMatrix<T>& c, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < c.rows; ++i) {
    T* row = c.data + i * c.row_stride;
    for (std::int64_t j = 0; j < c.columns; ++j) {
      T& entry = row[j * c.column_stride];
      entry = beta == 0 ? 0 : beta * entry;
    }
    for (std::int64_t j0 = 0; j0 < c.columns; j0 += plain_block_columns)
      for (std::int64_t k0 = 0; k0 < a.columns; k0 += plain_block_rows)
        for (std::int64_t k = k0; k < std::min(k0 + plain_block_rows, a.columns); ++k) {
          const T factor = alpha * a.data[i * a.row_stride + k * a.column_stride];
          const T* other = b.data + k * b.row_stride;
          for (std::int64_t j = j0; j < std::min(j0 + plain_block_columns, c.columns); ++j)
            row[j * c.column_stride] += factor * other[j * b.column_stride];
        }
  }
}

}  // namespace

void multiply(double alpha, const DenseMatrix<const double>& a, const DenseMatrix<const double>& b,
              double beta, const DenseMatrix<double>& c, int threads) {
  multiply_plainly(alpha, a, b, beta, c, threads);
}

void multiply(float alpha, const DenseMatrix<const float>& a, const DenseMatrix<const float>& b, float beta,
              const DenseMatrix<float>& c, int threads) {
  multiply_plainly(alpha, a, b, beta, c, threads);
}

}  // namespace foldline::cpu
