// The part of the input that a block adds up.
#pragma once

#include <cstdint>

namespace foldline::ladder::reduce {

/// Elements from `first` on: `most`, or what is left of n.
__device__ inline int part_size(std::int64_t n, std::int64_t first, int most) {
  return n - first < most ? static_cast<int>(n - first) : most;
}

}  // namespace foldline::ladder::reduce
