// The positions of the samples of n intervals of width h = 1 / n.
#pragma once

#include <cstdint>

#include "runner/errors.hpp"

namespace foldline::ladder::quadrature {

/// Computed from i: adding h repeatedly would accumulate roundings.
template <class T>
__device__ T middle_of(std::int64_t i, T h) {
  return (static_cast<T>(i) + static_cast<T>(0.5)) * h;
}
template <class T>
__device__ T end_of(std::int64_t i, T h) {
  return static_cast<T>(i) * h;
}

template <class T>
T width_of(std::int64_t n) {
  return 1 / static_cast<T>(n);
}

/// Throws Unsupported for an odd number of intervals.
inline void need_pairs(std::int64_t n) {
  if (n % 2 != 0) unsupported("Simpson's rule takes intervals in pairs; these are", n);
}

/// The depth: additions in a thread of a grid, and in its block.
inline double depth_of_grid(std::int64_t samples, std::int64_t blocks, int block) {
  return static_cast<double>(samples / (blocks * block)) + 12;
}

}  // namespace foldline::ladder::quadrature
