// Sums of columns side by side: the vector as a row-major matrix of 8 columns, of 8 rows or of a given shape.
#include <algorithm>
#include <memory>

#include <foldline/axes.hpp>

#include "blas.hpp"
#include "digest.hpp"
#include "operations.hpp"

namespace foldline::bench {
namespace {

template <FloatingElement T>
struct Matrix {
  Problem<T> problem;
  std::int64_t rows, columns;
};

/// The same sums one column after the other, each a strided vector, by one thread.
template <FloatingElement T>
std::vector<T> one_by_one(const Matrix<T>& matrix) {
  const Context context = {
      .execution = {.threads = 1,
                    .target = matrix.problem.size <= portable_limit ? Target::portable : Target::automatic}};
  std::vector<T> sums;
  sums.reserve(static_cast<std::size_t>(matrix.columns));
  for (std::int64_t column = 0; column < matrix.columns; ++column)
    sums.push_back(sum<T>(VectorView(matrix.problem.x_data + column, matrix.rows, matrix.columns), context));
  return sums;
}

/// The product of a row of ones and the matrix.
template <FloatingElement T>
void multiply_ones(const Matrix<T>& matrix, const std::vector<T>& ones, std::vector<T>& sums) {
  const auto rows = static_cast<blasint>(matrix.rows), columns = static_cast<blasint>(matrix.columns);
  if constexpr (sizeof(T) == 8)
    cblas_dgemv(CblasRowMajor, CblasTrans, rows, columns, 1, matrix.problem.x_data, columns, ones.data(), 1,
                0, sums.data(), 1);
  else
    cblas_sgemv(CblasRowMajor, CblasTrans, rows, columns, 1, matrix.problem.x_data, columns, ones.data(), 1,
                0, sums.data(), 1);
}

template <FloatingElement T>
std::vector<Contestant> contestants_for(const Matrix<T>& matrix) {
  const Context exact = matrix.problem.context();
  const MatrixView view(matrix.problem.x_data, matrix.rows, matrix.columns);
  const auto sums = std::make_shared<std::vector<T>>(static_cast<std::size_t>(matrix.columns));
  std::vector<Contestant> list;
  list.push_back(filling<T>("foldline exact", Role::foldline, sums,
                            [=] { reduce_columns(Operation::sum, view, *sums, {}, exact); }));
  list.back().second = [matrix] { return digest_of<T>(one_by_one(matrix)); };
  if (blas::takes(matrix.problem.size)) {
    const std::vector<T> ones(static_cast<std::size_t>(matrix.rows), T{1});
    list.push_back(filling<T>(blas::name<T>("cblas_dgemv", "cblas_sgemv"), Role::peer, sums,
                              [=] { multiply_ones(matrix, ones, *sums); }));
  }
  return list;
}

}  // namespace

template <FloatingElement T>
std::vector<Contestant> column_contestants(const Problem<T>& problem) {
  const std::int64_t columns = std::min<std::int64_t>(8, problem.size);
  return contestants_for<T>({problem, problem.size / columns, columns});
}

template <FloatingElement T>
std::vector<Contestant> wide_column_contestants(const Problem<T>& problem) {
  const std::int64_t rows = std::min<std::int64_t>(8, problem.size);
  return contestants_for<T>({problem, rows, problem.size / rows});
}

template <FloatingElement T>
OperationEntry<T> column_sums_of(const Shape& shape) {
  return {"column_sums:" + std::to_string(shape.rows) + 'x' + std::to_string(shape.columns), 1,
          [shape](const Problem<T>& problem) {
            return contestants_for<T>({problem, shape.rows, shape.columns});
          }};
}

template OperationEntry<double> column_sums_of(const Shape&);
template std::vector<Contestant> column_contestants(const Problem<double>&);
template std::vector<Contestant> column_contestants(const Problem<float>&);
template std::vector<Contestant> wide_column_contestants(const Problem<double>&);
template std::vector<Contestant> wide_column_contestants(const Problem<float>&);

}  // namespace foldline::bench
