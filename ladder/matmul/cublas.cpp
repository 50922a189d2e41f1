// Idea: cuBLAS for comparison: cublasSgemm, cublasDgemm.
// Fixes: not a rung.
// Limit: rounding depends on the order of additions, which differs between GPUs and versions.
#include "runner/cublas.hpp"

#include <type_traits>

#include "matmul/bench.hpp"
#include "runner/errors.hpp"

namespace foldline::ladder::matmul {
namespace {

constexpr int not_transposed = 0;  ///< a value of cuBLAS's own enumeration

/// The two factors, 1 and 0, in the rung's scratch memory.
template <class T>
const T* factors(Bench<T>& bench) {
  const T host[] = {1, 0};
  T* const device = static_cast<T*>(bench.scratch(sizeof host));
  check(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), "copying the factors");
  return device;
}

}  // namespace

/// For cuBLAS matrices are column-major: C' = B' A'.
template <class T>
void cublas_gemm(Bench<T>& bench) {
  using Function =
      int (*)(void*, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int);
  static const auto function = reinterpret_cast<Function>(
      cublas_function(std::is_same_v<T, float> ? "cublasSgemm_v2" : "cublasDgemm_v2"));
  const Product<T> p = bench.product();
  if (p.rows == 0 || p.columns == 0 || p.inner == 0)
    unsupported("a product is left to cuBLAS unless a dimension is", 0);
  static const T* const one = factors(bench);  // a rung has a process of its own
  check_cublas(function(cublas_handle(), not_transposed, not_transposed, p.columns, p.rows, p.inner, one, p.b,
                        p.columns, p.a, p.inner, one + 1, p.c, p.columns),
               "the product of matrices of cuBLAS");
}

template void cublas_gemm(Bench<float>&);
template void cublas_gemm(Bench<double>&);

}  // namespace foldline::ladder::matmul
