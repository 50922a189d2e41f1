// The rungs of this problem.
#pragma once

#include <type_traits>
#include <vector>

#include "quadrature/bench.hpp"
#include "runner/problem.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder::quadrature {

struct Rung {
  RungInfo info;
  void (*run_floats)(Bench<float>&);
  void (*run_doubles)(Bench<double>&);
  bool compares_rules = false;  ///< it computes three integrals for each of several n

  template <class T>
  void run(Bench<T>& bench) const {
    if constexpr (std::is_same_v<T, float>)
      run_floats(bench);
    else
      run_doubles(bench);
  }
};

/// From the first attempt to the library, followed by the comparisons.
const std::vector<Rung>& rungs();

/// A learner's solve(): n, the sum of the function in the middles of n intervals.
template <class T>
using SolveIntegral = Solution<int, T*>;

}  // namespace foldline::ladder::quadrature
