// The rungs of this problem.
#pragma once

#include <type_traits>
#include <vector>

#include "dot/bench.hpp"
#include "runner/problem.hpp"
#include "runner/solution.hpp"

namespace foldline::ladder::dot {

struct Rung {
  RungInfo info;
  void (*run_floats)(Bench<float>&);
  void (*run_doubles)(Bench<double>&);
  bool is_norm = false;  ///< the result is the square root of the dot product of x with itself

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

/// A learner's solve(): x, y, n, the result.
template <class T>
using SolveDot = Solution<const T*, const T*, int, T*>;

}  // namespace foldline::ladder::dot
