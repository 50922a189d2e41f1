// Idea: cuBLAS for comparison: cublasDgemv, the matrix times a vector of ones.
// Fixes: not a rung.
// Limit: n multiplications by one; rounding depends on its order of additions.
#include "runner/cublas.hpp"

#include <vector>

#include "column-sums/bench.hpp"
#include "runner/errors.hpp"

namespace foldline::ladder::column_sums {
namespace {

constexpr int not_transposed = 0;  ///< a value of cuBLAS's own enumeration

/// In the rung's scratch memory: the ones, then the two factors, 1 and 0.
const double* ones(Bench& bench) {
  const std::vector<double> host(static_cast<std::size_t>(bench.rows() + 1), 1.0);
  const std::size_t bytes = host.size() * sizeof(double);
  double* const device = static_cast<double*>(bench.scratch(bytes + sizeof(double)));
  static bool filled = false;  // a rung has a process of its own
  if (!filled) check(cudaMemcpy(device, host.data(), bytes, cudaMemcpyHostToDevice), "copying the ones");
  filled = true;
  return device;
}

}  // namespace

/// For cuBLAS the matrix is column-major: it is the transpose, columns x rows.
void cublas_gemv(Bench& bench) {
  using Function = int (*)(void*, int, int, int, const double*, const double*, int, const double*, int,
                           const double*, double*, int);
  static const auto function = reinterpret_cast<Function>(cublas_function("cublasDgemv_v2"));
  if (bench.rows() == 0 || bench.columns() == 0)
    unsupported("cublasDgemv leaves its result alone if a dimension is", 0);
  static const double* const vector = ones(bench);
  const double *const one = vector + bench.rows(), *const zero = one + 1;
  const int rows = static_cast<int>(bench.rows()), columns = static_cast<int>(bench.columns());
  check_cublas(function(cublas_handle(), not_transposed, columns, rows, one, bench.matrix(), columns, vector,
                        1, zero, bench.sums(static_cast<double>(rows)), 1),
               "the product of matrix and vector of cuBLAS");
}

}  // namespace foldline::ladder::column_sums
