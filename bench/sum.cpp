#include <array>
#include <execution>
#include <numeric>

#include "blas.hpp"
#include "eigen_map.hpp"
#include "operations.hpp"

namespace foldline::bench {
namespace {

/// OpenBLAS 0.3.21's ssum is wrong on AVX-512 (it adds some elements three times and others not at all), so
/// it is no peer there.
template <class T>
bool blas_sum_is_right() {
  static const bool right = [] {
    std::array<T, 64> x = {};
    for (T& element : x) {
      element = 1;
      if (blas::sum(std::span<const T>(x)) != 1) return false;
      element = 0;
    }
    return true;
  }();
  return right;
}

}  // namespace

template <FloatingElement T>
std::vector<Contestant> sum_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context(), fast = problem.context(Accuracy::fast);
  std::vector<Contestant> list;
  list.push_back(exact_contestant(problem, {Operation::sum}, [=] { return sum(x, exact); }));
  list.push_back(fast_contestant([=] { return sum(x, fast); }));
  if constexpr (sizeof(T) > 2) {
    if (blas::takes(problem.size)) {
      // BLAS has no sum; asum does the same work and is everywhere. OpenBLAS has a sum of its own.
      list.push_back(contestant(blas::name<T>("cblas_dasum", "cblas_sasum"), Role::peer,
                                [=] { return blas::abs_sum(x); }));
      if (blas_sum_is_right<T>())
        list.push_back(
            contestant(blas::name<T>("cblas_dsum", "cblas_ssum"), Role::peer, [=] { return blas::sum(x); }));
    }
    if (problem.threads > 1) {
      list.push_back(contestant("std::reduce par_unseq", Role::peer, [=] {
        return std::reduce(std::execution::par_unseq, x.begin(), x.end(), T{});
      }));
    } else {
      list.push_back(contestant("std::reduce unseq", Role::peer,
                                [=] { return std::reduce(std::execution::unseq, x.begin(), x.end(), T{}); }));
      list.push_back(contestant("Eigen sum", Role::peer, [=] { return eigen(x).sum(); }));
    }
  }
  return list;
}

template std::vector<Contestant> sum_contestants(const Problem<double>&);
template std::vector<Contestant> sum_contestants(const Problem<float>&);
template std::vector<Contestant> sum_contestants(const Problem<half>&);
template std::vector<Contestant> sum_contestants(const Problem<bfloat16>&);

}  // namespace foldline::bench
