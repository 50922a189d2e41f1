// Mean, variance, and everything in one pass.
#include "eigen_map.hpp"
#include "operations.hpp"

namespace foldline::bench {

template <FloatingElement T>
std::vector<Contestant> mean_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context();
  std::vector<Contestant> list;
  list.push_back(exact_contestant(problem, {Operation::mean}, [=] { return mean(x, exact); }));
  if (problem.threads == 1)
    list.push_back(contestant("Eigen mean", Role::peer, [=] { return eigen(x).mean(); }));
  return list;
}

template <FloatingElement T>
std::vector<Contestant> variance_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context();
  std::vector<Contestant> list;
  list.push_back(exact_contestant(problem, {Operation::variance}, [=] { return variance(x, {}, exact); }));
  if (problem.threads == 1)
    list.push_back(contestant("Eigen, two passes", Role::peer, [=] {
      const auto array = eigen(x);
      return (array - array.mean()).square().mean();
    }));
  return list;
}

template <FloatingElement T>
std::vector<Contestant> statistics_contestants(const Problem<T>& problem) {
  const std::span<const T> x = problem.x();
  const Context exact = problem.context();
  return {exact_contestant(problem,
                           {Operation::minimum, Operation::maximum, Operation::sum, Operation::mean,
                            Operation::variance, Operation::abs_sum, Operation::two_norm},
                           [=] { return statistics(x, {}, exact); })};
}

template std::vector<Contestant> mean_contestants(const Problem<double>&);
template std::vector<Contestant> mean_contestants(const Problem<float>&);
template std::vector<Contestant> variance_contestants(const Problem<double>&);
template std::vector<Contestant> variance_contestants(const Problem<float>&);
template std::vector<Contestant> statistics_contestants(const Problem<double>&);
template std::vector<Contestant> statistics_contestants(const Problem<float>&);

}  // namespace foldline::bench
