// Idea: cuBLAS for comparison: cublasSdot, cublasDdot, cublasSnrm2, cublasDnrm2.
// Fixes: not rungs.
// Limit: rounding depends on the order of additions, which differs between GPUs and versions.
#include "runner/cublas.hpp"

#include <type_traits>

#include "dot/bench.hpp"

namespace foldline::ladder::dot {
namespace {

/// The order of additions is unknown, so the worst case is assumed.
template <class T>
double any_depth(const Bench<T>& bench) {
  return static_cast<double>(bench.n()) + 1;
}

}  // namespace

template <class T>
void cublas_dot(Bench<T>& bench) {
  using Function = int (*)(void*, int, const T*, int, const T*, int, T*);
  static const auto function = reinterpret_cast<Function>(
      cublas_function(std::is_same_v<T, float> ? "cublasSdot_v2" : "cublasDdot_v2"));
  check_cublas(function(cublas_handle(), static_cast<int>(bench.n()), bench.x(), 1, bench.y(), 1,
                        bench.result(any_depth(bench))),
               "the dot product of cuBLAS");
}

template <class T>
void cublas_norm(Bench<T>& bench) {
  using Function = int (*)(void*, int, const T*, int, T*);
  static const auto function = reinterpret_cast<Function>(
      cublas_function(std::is_same_v<T, float> ? "cublasSnrm2_v2" : "cublasDnrm2_v2"));
  check_cublas(
      function(cublas_handle(), static_cast<int>(bench.n()), bench.x(), 1, bench.result(any_depth(bench))),
      "the norm of cuBLAS");
}

template void cublas_dot(Bench<float>&);
template void cublas_dot(Bench<double>&);

template void cublas_norm(Bench<float>&);
template void cublas_norm(Bench<double>&);

}  // namespace foldline::ladder::dot
