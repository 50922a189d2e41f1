// Two-norm and abs sum. OpenBLAS always computes nrm2 with one thread.
#include "blas.hpp"
#include "eigen_map.hpp"
#include "operations.hpp"

namespace foldline::bench {

template <FloatingElement T>
std::vector<Contestant> two_norm_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context(), fast = problem.context(Accuracy::fast);
  std::vector<Contestant> list;
  list.push_back(exact_contestant(problem, {Operation::two_norm}, [=] { return vector_two_norm(x, exact); }));
  list.push_back(fast_contestant([=] { return vector_two_norm(x, fast); }));
  if (blas::takes(problem.size))
    list.push_back(contestant(blas::name<T>("cblas_dnrm2", "cblas_snrm2"), Role::peer,
                              [=] { return blas::two_norm(x); }));
  if (problem.threads == 1) {
    // Overflows if the squares do; stableNorm() does not and may be compared with BLAS.
    list.push_back(contestant("Eigen norm", Role::peer, [=] { return eigen(x).matrix().norm(); }));
    list.push_back(
        contestant("Eigen stableNorm", Role::peer, [=] { return eigen(x).matrix().stableNorm(); }));
  }
  return list;
}

template <FloatingElement T>
std::vector<Contestant> abs_sum_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context();
  std::vector<Contestant> list;
  list.push_back(exact_contestant(problem, {Operation::abs_sum}, [=] { return vector_abs_sum(x, exact); }));
  if (blas::takes(problem.size))
    list.push_back(contestant(blas::name<T>("cblas_dasum", "cblas_sasum"), Role::peer,
                              [=] { return blas::abs_sum(x); }));
  if (problem.threads == 1)
    list.push_back(contestant("Eigen abs sum", Role::peer, [=] { return eigen(x).abs().sum(); }));
  return list;
}

template std::vector<Contestant> two_norm_contestants(const Problem<double>&);
template std::vector<Contestant> two_norm_contestants(const Problem<float>&);
template std::vector<Contestant> abs_sum_contestants(const Problem<double>&);
template std::vector<Contestant> abs_sum_contestants(const Problem<float>&);

}  // namespace foldline::bench
