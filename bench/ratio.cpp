#include "ratio.hpp"

#include <algorithm>

namespace foldline::bench {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Ratio::lowest() const { return is_paired() ? *std::ranges::min_element(rounds_) : of_run_; }

double Ratio::highest() const { return is_paired() ? *std::ranges::max_element(rounds_) : of_run_; }

Ratio Ratio::inverse() const {
  if (!exists()) return {};
  std::vector<double> rounds = rounds_;
  for (double& ratio : rounds) ratio = 1 / ratio;
  return {std::move(rounds), 1 / of_run_};
}

}  // namespace foldline::bench
