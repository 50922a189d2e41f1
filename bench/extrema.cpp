// Minimum and maximum.
#include "eigen_map.hpp"
#include "operations.hpp"

namespace foldline::bench {

template <FloatingElement T>
std::vector<Contestant> minmax_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context();
  std::vector<Contestant> list;
  list.push_back(
      exact_contestant(problem, {Operation::minimum, Operation::maximum}, [=] { return minmax(x, exact); }));
  if (problem.threads == 1)
    list.push_back(contestant("Eigen, two passes", Role::peer,
                              [=] { return Extrema<T>{eigen(x).minCoeff(), eigen(x).maxCoeff()}; }));
  return list;
}

template std::vector<Contestant> minmax_contestants(const Problem<double>&);
template std::vector<Contestant> minmax_contestants(const Problem<float>&);

}  // namespace foldline::bench
