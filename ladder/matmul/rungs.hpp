// The rungs of this problem.
#pragma once

#include <type_traits>
#include <vector>

#include "matmul/bench.hpp"
#include "runner/problem.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder::matmul {

struct Rung {
  RungInfo info;
  void (*run_floats)(Bench<float>&);
  void (*run_doubles)(Bench<double>&);

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

/// A learner's solve(): A, B, C, rows, inner, columns.
template <class T>
using SolveProduct = Solution<const T*, const T*, T*, int, int, int>;

}  // namespace foldline::ladder::matmul
