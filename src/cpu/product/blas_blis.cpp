// BLIS: it takes any strides and a number of threads per call; other BLAS libraries have one number per
// process.
#include <blis.h>

#include "cpu/product/blas.hpp"

namespace foldline::cpu {

namespace {

template <class T, class Gemm>
void multiply_with(Gemm gemm, T alpha, const DenseMatrix<const T>& a, const DenseMatrix<const T>& b, T beta,
                   const DenseMatrix<T>& c, int threads) {
  rntm_t runtime;
  bli_rntm_init(&runtime);
  bli_rntm_set_num_threads(threads, &runtime);
  // BLIS writes to neither factor.
  gemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, c.rows, c.columns, a.columns, &alpha, const_cast<T*>(a.data),
       a.row_stride, a.column_stride, const_cast<T*>(b.data), b.row_stride, b.column_stride, &beta, c.data,
       c.row_stride, c.column_stride, nullptr, &runtime);
}

}  // namespace

void multiply(double alpha, const DenseMatrix<const double>& a, const DenseMatrix<const double>& b,
              double beta, const DenseMatrix<double>& c, int threads) {
  multiply_with(bli_dgemm_ex, alpha, a, b, beta, c, threads);
}

void multiply(float alpha, const DenseMatrix<const float>& a, const DenseMatrix<const float>& b, float beta,
              const DenseMatrix<float>& c, int threads) {
  multiply_with(bli_sgemm_ex, alpha, a, b, beta, c, threads);
}

}  // namespace foldline::cpu
