// Where the samples of n intervals are, h = 1 / n apart.
#pragma once

#include <cstdint>

#include "runner/here.hpp"

namespace foldline::ladder::quadrature {

/// Made from i itself: adding h again and again would gather its roundings.
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

/// Throws NotHere for an odd number of intervals.
inline void need_pairs(std::int64_t n) {
  if (n % 2 != 0) not_here("Simpson's rule takes intervals in pairs; these are", n);
}

/// Additions on the longest way through a thread of a grid, and through its block.
inline double depth_of_grid(std::int64_t samples, std::int64_t blocks, int block) {
  return static_cast<double>(samples / (blocks * block)) + 12;
}

}  // namespace foldline::ladder::quadrature
