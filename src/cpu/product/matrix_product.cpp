// Matrix products: exact ones, or fast ones by the BLAS library.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/product/blas.hpp"
#include "cpu/product/exact_product.hpp"
#include "cpu/product/packed_copy.hpp"

namespace foldline::cpu {

namespace {

/// Whether the BLAS library can read the matrix in place.
bool is_dense(const MatrixOperand& matrix) {
  const auto address = reinterpret_cast<std::uintptr_t>(matrix.data);
  if (address % static_cast<std::uintptr_t>(size_of(matrix.type)) != 0) return false;
  return (matrix.column_stride == 1 && matrix.row_stride >= std::max<std::int64_t>(matrix.columns, 1)) ||
         (matrix.row_stride == 1 && matrix.column_stride >= std::max<std::int64_t>(matrix.rows, 1));
}

/// A matrix for the BLAS library: the original, or a copy.
template <class T>
class Dense {
 public:
  Dense(const MatrixOperand& matrix, int threads)
      : copy_(is_dense(matrix) ? std::vector<std::byte>() : packed_copy(matrix, threads)),
        is_copy_(!is_dense(matrix)) {
    const auto* data = reinterpret_cast<const T*>(is_copy_ ? copy_.data() : matrix.data);
    view_ = {const_cast<T*>(data), matrix.rows, matrix.columns, matrix.row_stride, matrix.column_stride};
    if (is_copy_) view_.row_stride = std::max<std::int64_t>(matrix.columns, 1), view_.column_stride = 1;
  }
  bool is_copy() const { return is_copy_; }
  const DenseMatrix<T>& view() const { return view_; }
  DenseMatrix<const T> constant() const {
    return {view_.data, view_.rows, view_.columns, view_.row_stride, view_.column_stride};
  }

 private:
  std::vector<std::byte> copy_;
  bool is_copy_;
  DenseMatrix<T> view_;
};

template <class T>
void fast_product(const MatrixProduct& product, int threads) {
  const Dense<T> a(product.a, threads);
  const Dense<T> b(product.b, threads);
  const Dense<T> c(product.c, threads);
  multiply(static_cast<T>(product.alpha), a.constant(), b.constant(), static_cast<T>(product.beta), c.view(),
           threads);
  if (!c.is_copy()) return;
  for (std::int64_t i = 0; i < c.view().rows; ++i)
    for (std::int64_t j = 0; j < c.view().columns; ++j)
      std::memcpy(product.entry(i, j), c.view().data + i * c.view().row_stride + j, sizeof(T));
}

}  // namespace

void matrix_product(const MatrixProduct& product, const Plan& plan) {
  if (plan.accuracy == Accuracy::fast) {
    if (product.c.type == ElementType::float64) return fast_product<double>(product, plan.threads);
    return fast_product<float>(product, plan.threads);
  }
  exact_product(product, plan);
}

}  // namespace foldline::cpu
