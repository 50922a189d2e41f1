#include <execution>
#include <numeric>

#include "blas.hpp"
#include "eigen_map.hpp"
#include "operations.hpp"

namespace foldline::bench {

template <FloatingElement T>
std::vector<Contestant> dot_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x(), y = problem.y();
  const Context exact = problem.context(), fast = problem.context(Accuracy::fast);
  std::vector<Contestant> list;
  list.push_back(exact_contestant(problem, {Operation::dot}, [=] { return dot(x, y, exact); }));
  list.push_back(fast_contestant([=] { return dot(x, y, fast); }));
  if (blas::takes(problem.size))
    list.push_back(
        contestant(blas::name<T>("cblas_ddot", "cblas_sdot"), Role::peer, [=] { return blas::dot(x, y); }));
  if (problem.threads > 1) {
    list.push_back(contestant("std::transform_reduce par_unseq", Role::peer, [=] {
      return std::transform_reduce(std::execution::par_unseq, x.begin(), x.end(), y.begin(), T{});
    }));
  } else {
    list.push_back(contestant("std::transform_reduce unseq", Role::peer, [=] {
      return std::transform_reduce(std::execution::unseq, x.begin(), x.end(), y.begin(), T{});
    }));
    list.push_back(
        contestant("Eigen dot", Role::peer, [=] { return eigen(x).matrix().dot(eigen(y).matrix()); }));
  }
  return list;
}

template std::vector<Contestant> dot_contestants(const Problem<double>&);
template std::vector<Contestant> dot_contestants(const Problem<float>&);

}  // namespace foldline::bench
